#include "conformance/golden/strict_json.h"

#include <set>
#include <vector>

#include "reference/spec/status.h"

namespace plumbline::golden {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 32;

/// Watches the parser: the keys of each open object, and the depth.
class Watch {
 public:
  Watch(std::string_view file, std::string_view place) : file_(file), place_(place) {}

  bool operator()(int depth, json::parse_event_t event, const json& parsed) {
    if (depth > kMaxDepth) throw BadInput(file_, place_, "JSON nested more than 32 levels deep");
    if (event == json::parse_event_t::object_start) keys_.emplace_back();
    if (event == json::parse_event_t::object_end) keys_.pop_back();
    if (event == json::parse_event_t::key && !keys_.back().insert(parsed).second) {
      throw BadInput(file_, place_, "the key " + shown(parsed) + " stands twice");
    }
    return true;
  }

 private:
  std::string_view file_;
  std::string_view place_;
  std::vector<std::set<json>> keys_;
};

}  // namespace

json strict_json(std::string_view text, std::string_view file, std::string_view place) {
  try {
    return json::parse(text, Watch(file, place));
  } catch (const json::parse_error& error) {
    throw BadInput(file, place, "is not JSON: error at byte " + std::to_string(error.byte));
  } catch (const json::out_of_range&) {
    throw BadInput(file, place, "is not JSON: a number out of range");
  }
}

std::string shown(const json& value) {
  constexpr std::size_t kMost = 60;
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > kMost) text = text.substr(0, kMost - 3) + "...";
  return text;
}

}  // namespace plumbline::golden
