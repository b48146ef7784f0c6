#include "reference/spec/problem.h"

#include <algorithm>
#include <charconv>

#include "reference/spec/status.h"

namespace plumbline {
namespace {

template <class Pairs>
auto find(Pairs& pairs, std::string_view name) {
  return std::find_if(pairs.begin(), pairs.end(), [&](const auto& p) { return p.first == name; });
}

template <class Pairs, class Value>
void set(Pairs& pairs, std::string_view name, Value value) {
  if (const auto it = find(pairs, name); it != pairs.end()) {
    it->second = std::move(value);
  } else {
    pairs.emplace_back(name, std::move(value));
  }
}

/// Walks an id from left to right; every failure names the byte where it stopped.
class Reader {
 public:
  explicit Reader(std::string_view id) : id_(id) {}

  [[noreturn]] void fail(std::string_view rule) const {
    throw BadInput("case id", "byte " + std::to_string(at_) + " of \"" + std::string(id_) + "\"",
                   rule);
  }

  bool take(char c) {
    if (at_ >= id_.size() || id_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!take(c)) fail(std::string("expected '") + c + "'");
  }

  std::string word(bool upper_case) {
    const std::size_t begin = at_;
    while (at_ < id_.size() && is_word(id_[at_], upper_case)) ++at_;
    if (at_ == begin) fail("expected a word of [a-z0-9_.:+-]");
    return std::string(id_.substr(begin, at_ - begin));
  }

  template <class Number>
  Number number() {
    const std::size_t begin = at_;
    while (at_ < id_.size() && id_[at_] >= '0' && id_[at_] <= '9') ++at_;
    const std::string_view digits = id_.substr(begin, at_ - begin);
    if (digits.empty() || (digits.size() > 1 && digits[0] == '0')) {
      at_ = begin;
      fail("expected a decimal number without leading zeros");
    }
    Number value{};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{}) {
      at_ = begin;
      fail("number out of range");
    }
    return value;
  }

  void done() const {
    if (at_ != id_.size()) fail("nothing may follow the seed");
  }

 private:
  static bool is_word(char c, bool upper_case) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           std::string_view("_.:+-").find(c) != std::string_view::npos ||
           (upper_case && c >= 'A' && c <= 'Z');
  }

  std::string_view id_;
  std::size_t at_ = 0;
};

template <class Pairs, class ReadValue>
void read_pairs(Reader& in, Pairs& pairs, ReadValue read_value) {
  do {
    std::string name = in.word(false);
    if (find(pairs, name) != pairs.end()) in.fail("\"" + name + "\" stands twice");
    in.expect('=');
    pairs.emplace_back(std::move(name), read_value());
  } while (in.take(','));
}

void read_key(Reader& in, std::string_view key) {
  in.expect('/');
  if (in.word(false) != key) in.fail("expected \"" + std::string(key) + "=\"");
  in.expect('=');
}

std::string to_text(const std::string& value) { return value; }
std::string to_text(std::int64_t value) { return std::to_string(value); }

template <class Pairs>
std::string join(const Pairs& pairs) {
  std::string text;
  for (const auto& [name, value] : pairs) {
    text += (text.empty() ? "" : ",") + name + "=" + to_text(value);
  }
  return text;
}

}  // namespace

std::string_view Problem::axis(std::string_view name, std::string_view fallback) const {
  const auto it = find(axes, name);
  return it == axes.end() ? fallback : std::string_view(it->second);
}

std::optional<std::int64_t> Problem::dim(std::string_view name) const {
  const auto it = find(dims, name);
  if (it == dims.end()) return std::nullopt;
  return it->second;
}

void Problem::set_axis(std::string_view name, std::string_view value) {
  set(axes, name, std::string(value));
}

void Problem::set_dim(std::string_view name, std::int64_t value) { set(dims, name, value); }

std::string Problem::text() const { return op + "/" + join(axes) + "/" + join(dims); }

std::string Case::id() const {
  return problem.text() + "/data=" + data + "/seed=" + std::to_string(seed);
}

Case parse_case(std::string_view id) {
  Reader in(id);
  Case result;
  result.problem.op = in.word(false);
  in.expect('/');
  read_pairs(in, result.problem.axes, [&] { return in.word(true); });
  in.expect('/');
  read_pairs(in, result.problem.dims, [&] { return in.number<std::int64_t>(); });
  read_key(in, "data");
  result.data = in.word(false);
  read_key(in, "seed");
  result.seed = in.number<std::uint64_t>();
  in.done();
  return result;
}

}  // namespace plumbline
