#include "conformance/cases/filter.h"

#include <algorithm>
#include <optional>

#include "reference/spec/status.h"

namespace plumbline::cases {
namespace {

bool is_pattern_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_.:+-*").find(c) != std::string_view::npos;
}

void check_word(std::string_view piece, std::string_view word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_pattern_character)) return;
  throw BadInput("filter", "\"" + std::string(piece) + "\"",
                 "expected a word of [A-Za-z0-9_.:+-] and *");
}

/// The value that a case has under a name: data, seed, an axis or a dimension.
std::optional<std::string> value_of(const Case& test_case, std::string_view name) {
  if (name == "data") return test_case.data;
  if (name == "seed") return std::to_string(test_case.seed);
  for (const auto& [axis, word] : test_case.problem.axes) {
    if (axis == name) return word;
  }
  if (const auto dim = test_case.problem.dim(name)) return std::to_string(*dim);
  return std::nullopt;
}

}  // namespace

bool glob_matches(std::string_view glob, std::string_view text) {
  // Where a mismatch sends us back to: the last star lets one more character pass.
  std::size_t g = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      resume = t;
    } else if (g < glob.size() && glob[g] == text[t]) {
      ++g;
      ++t;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return glob.substr(g).find_first_not_of('*') == std::string_view::npos;
}

Filter Filter::parse(std::string_view pattern) {
  Filter filter;
  filter.text_ = pattern;
  std::size_t begin = 0;
  while (begin < pattern.size()) {
    const std::size_t end = std::min(pattern.find_first_of("/,", begin), pattern.size());
    const std::string_view piece = pattern.substr(begin, end - begin);
    const std::size_t equals = piece.find('=');
    if (equals != std::string_view::npos) {
      check_word(piece, piece.substr(0, equals));
      check_word(piece, piece.substr(equals + 1));
      filter.wanted_.emplace_back(piece.substr(0, equals), piece.substr(equals + 1));
    } else if (begin == 0) {
      check_word(piece, piece);
      filter.op_ = std::string(piece) + "*";
    } else if (!piece.empty() && piece != "*") {
      throw BadInput("filter", "\"" + std::string(piece) + "\"",
                     "after the operation every piece is name=value");
    }
    begin = end + 1;
  }
  return filter;
}

bool Filter::matches(const Case& test_case) const {
  if (!glob_matches(op_, test_case.problem.op)) return false;
  return std::all_of(wanted_.begin(), wanted_.end(), [&](const auto& wanted) {
    const auto value = value_of(test_case, wanted.first);
    return value && glob_matches(wanted.second, *value);
  });
}

}  // namespace plumbline::cases
