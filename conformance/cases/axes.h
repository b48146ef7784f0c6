#pragma once
#include <span>
#include <string_view>

namespace plumbline::cases {

/// One axis or dimension of an operation, for `list axes`.
struct Axis {
  std::string_view op;       ///< "moe.experts"; "attention.*" for both
  std::string_view name;     ///< "act"
  std::string_view words;    ///< what it takes: "silu|relu2|swiglu:ALPHA:BETA:LIMIT", or "n ≥ 1"
  std::string_view meaning;  ///< one sentence
};

/// Every axis and dimension, operation by operation, in the order of case ids.
std::span<const Axis> all_axes();

}  // namespace plumbline::cases
