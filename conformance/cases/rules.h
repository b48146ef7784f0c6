#pragma once
#include <span>
#include <string_view>

namespace plumbline::cases {

/// A rule of legality, for `list rules`.
struct Rule {
  std::string_view op;       ///< operation, or a pattern over them
  std::string_view rule;     ///< a predicate over axes, dimensions and tensors
  std::string_view outcome;  ///< "excluded": no such case; "refused (CLASS)": must be refused
  std::string_view meaning;  ///< one sentence
};

std::span<const Rule> all_rules();

}  // namespace plumbline::cases
