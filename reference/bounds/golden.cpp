#include "reference/bounds/golden.h"

#include <algorithm>
#include <cmath>

namespace plumbline::bounds::golden {
namespace {

/// Both sides in double, up to a few thousand terms a sum: 10^3 · 2^−53 ≈ 1e-13.
constexpr double kDouble = 1e-12;
/// A few float32 operations on the way, 2^−24 ≈ 6e-8 each.
constexpr double kFloat = 1e-6;

}  // namespace

double experts_limit(std::string_view family, double largest) {
  const bool float_activation = family.find("nemotron_h") != std::string_view::npos;
  return (float_activation ? kFloat : kDouble) * std::abs(largest);
}

double route_weight_limit(double routed_scaling_factor) {
  return kFloat * std::abs(routed_scaling_factor);
}

double route_tie_gap(double score) { return kFloat * std::abs(score); }

double attention_limit(bool softcap, double largest) {
  if (largest == 0) return 0;
  return (softcap ? kFloat : kDouble) * std::max(1.0, std::abs(largest));
}

}  // namespace plumbline::bounds::golden
