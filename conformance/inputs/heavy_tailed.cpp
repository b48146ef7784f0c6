#include <algorithm>
#include <bit>

#include "conformance/inputs/shapes.h"

namespace plumbline::inputs {

Dyadic heavy_tailed(const Stream& stream, const Position& at) {
  constexpr int kLargestPower = 8;
  // Words of the gaussian are numbered from below; these come from above.
  const std::uint64_t word = stream.word(~at.element());
  const Dyadic base = gaussian(stream, at);
  return {base.m, base.exponent + std::min(std::countr_zero(word), kLargestPower)};
}

}  // namespace plumbline::inputs
