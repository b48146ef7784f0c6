#include "reference/spec/constraint.h"

#include <charconv>
#include <cstdint>
#include <string>

#include "reference/spec/status.h"

namespace plumbline {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name(char c) { return (c >= 'a' && c <= 'z') || c == '_' || is_digit(c); }

/// Reads one predicate from left to right and computes its terms on the way.
class Predicate {
 public:
  Predicate(std::string_view text, const Problem& problem) : text_(text), problem_(problem) {}

  bool value() {
    const std::int64_t left = term();
    const std::string_view comparison = comparison_sign();
    const std::int64_t right = term();
    if (at_ != text_.size()) fail("one comparison and nothing behind it");
    if (comparison == "==") return left == right;
    if (comparison == "!=") return left != right;
    if (comparison == "<=") return left <= right;
    if (comparison == ">=") return left >= right;
    return comparison == "<" ? left < right : left > right;
  }

 private:
  [[noreturn]] void fail(std::string_view rule) const {
    throw BadInput("constraint \"" + std::string(text_) + "\"", "character " + std::to_string(at_),
                   rule);
  }

  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  std::string_view comparison_sign() {
    for (const std::string_view sign : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (!text_.substr(at_).starts_with(sign)) continue;
      at_ += sign.size();
      return sign;
    }
    fail("a comparison: == != < <= > >=");
  }

  std::int64_t factor() {
    skip_spaces();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word.empty()) fail("a number or a dimension");
    skip_spaces();
    if (!is_digit(word.front())) return problem_.dim(word).value_or(0);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size()) fail("a number below 2^63");
    return number;
  }

  std::int64_t term() {
    std::int64_t value = factor();
    while (at_ < text_.size() && std::string_view("*/%").find(text_[at_]) != std::string::npos) {
      const char sign = text_[at_++];
      const std::int64_t by = factor();
      if (sign == '*') {
        if (__builtin_mul_overflow(value, by, &value)) fail("products below 2^63");
      } else if (by == 0) {
        fail("no division by 0");
      } else {
        value = sign == '/' ? value / by : value % by;
      }
    }
    return value;
  }

  std::string_view text_;
  const Problem& problem_;
  std::size_t at_ = 0;
};

}  // namespace

bool holds(std::string_view predicate, const Problem& problem) {
  return Predicate(predicate, problem).value();
}

std::string unknown_dimension(std::string_view predicate, const Problem& problem) {
  std::size_t at = 0;
  while (at < predicate.size()) {
    const std::size_t begin = at;
    while (at < predicate.size() && is_name(predicate[at])) ++at;
    const std::string_view word = predicate.substr(begin, at - begin);
    if (!word.empty() && !is_digit(word.front()) && !problem.dim(word)) return std::string(word);
    if (word.empty()) ++at;
  }
  return "";
}

}  // namespace plumbline
