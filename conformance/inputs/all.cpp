#include <algorithm>
#include <array>

#include "conformance/inputs/distribution.h"
#include "conformance/inputs/inputs.h"
#include "conformance/inputs/shapes.h"

namespace plumbline::inputs {
namespace {

constexpr auto kDistributions = std::to_array<Distribution>({
    {"gaussian", "random-like data, as trained layers have", true, true, gaussian},
    {"heavy_tailed", "magnitudes over eight binades: scales and ranges", true, true, heavy_tailed},
    {"outlier_channels", "a few columns 64 times as large: group scales", true, true,
     outlier_channels},
    {"cancelling", "sums 1/8 of their terms: dropped terms and low precision", true, false,
     cancelling},
    {"sorted", "monotone rows: wrong order, wrong neighbour", true, false, sorted},
    {"exact_integers", "every sum is exact: bits can be compared", false, false, exact_integers},
});

constexpr auto kNames = [] {
  std::array<std::string_view, kDistributions.size()> names;
  for (std::size_t n = 0; n < names.size(); ++n) names[n] = kDistributions[n].name;
  return names;
}();

}  // namespace

std::span<const Distribution> distributions() { return kDistributions; }

std::span<const std::string_view> all_distributions() { return kNames; }

bool random_like(std::string_view data) {
  const Distribution* distribution = find_distribution(data);
  return distribution != nullptr && distribution->random;
}

const Distribution* find_distribution(std::string_view name) {
  const auto it = std::find_if(kDistributions.begin(), kDistributions.end(),
                               [&](const Distribution& row) { return row.name == name; });
  return it == kDistributions.end() ? nullptr : &*it;
}

}  // namespace plumbline::inputs
