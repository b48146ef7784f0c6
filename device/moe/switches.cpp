#include "device/moe/switches.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "device/moe/identity.h"

namespace plumbline::device::switches {
namespace {

struct Switch {
  std::vector<std::string> allowed;
  std::string value;
};

struct Switches {
  std::mutex mutex;
  std::map<std::string, Switch, std::less<>> by_name;
};

Switches& all_switches() {
  static Switches switches = [] {
    std::vector<std::string> backends;
    for (const identity::Value& value : identity::all().values) {
      if (value.type == "runner_backend") backends.emplace_back(value.name);
    }
    return Switches{{},
                    {{"runner_backend", {backends, "auto"}},
                     {"int4_on_hip", {{"yes", "no"}, "no"}},
                     {"lightop_library", {{"present", "absent", "missing_symbol"}, "present"}}}};
  }();
  return switches;
}

Refusal unknown(std::string_view name) {
  return {Status::kUnsupported, "a switch is runner_backend, int4_on_hip or lightop_library",
          "\"" + std::string(name) + "\""};
}

}  // namespace

Result<std::string> get(std::string_view name) {
  Switches& all = all_switches();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const auto found = all.by_name.find(name);
  if (found == all.by_name.end()) return unknown(name);
  return found->second.value;
}

std::optional<Refusal> set(std::string_view name, std::string_view value) {
  Switches& all = all_switches();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const auto found = all.by_name.find(name);
  if (found == all.by_name.end()) return unknown(name);
  Switch& row = found->second;
  if (std::find(row.allowed.begin(), row.allowed.end(), value) == row.allowed.end()) {
    std::string rule = std::string(name) + " is one of";
    for (const std::string& word : row.allowed) rule += " " + word;
    return Refusal{Status::kUnsupported, rule, "\"" + std::string(value) + "\""};
  }
  row.value = value;
  return std::nullopt;
}

std::string value_of(std::string_view name) { return *get(name); }

}  // namespace plumbline::device::switches
