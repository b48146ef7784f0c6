#include "conformance/inputs/shapes.h"

namespace plumbline::inputs {

Dyadic outlier_channels(const Stream& stream, const Position& at) {
  constexpr std::int64_t kChannels = 32;
  constexpr int kPower = 6;
  const Dyadic base = gaussian(stream, at);
  if (at.side == Side::kWeight) return base;
  // One channel in each run of 32 columns, at a place drawn for that run; words from above.
  const std::int64_t run = at.column / kChannels;
  const std::int64_t first = run * kChannels;
  const auto length =
      static_cast<std::uint64_t>(at.width - first < kChannels ? at.width - first : kChannels);
  const std::uint64_t chosen = stream.below(~static_cast<std::uint64_t>(run), length);
  const bool outlier = at.column - first == static_cast<std::int64_t>(chosen);
  return {base.m, base.exponent + (outlier ? kPower : 0)};
}

}  // namespace plumbline::inputs
