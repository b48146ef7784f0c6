#include "conformance/inputs/shapes.h"

namespace plumbline::inputs {

Dyadic sorted(const Stream& stream, const Position& at) {
  constexpr int kBits = 16;
  // 4·(column + jitter)/width − 2 in units of 2⁻¹⁶, jitter in [0, 1); the division is an integer's.
  const auto jitter = static_cast<std::int64_t>(stream.word(at.element()) >> (64 - kBits));
  const std::int64_t place = ((at.column << kBits) + jitter) * 4 / at.width;
  const std::int64_t rising = place - (std::int64_t{2} << kBits);
  return {at.row % 2 == 0 ? rising : -rising, -kBits};
}

}  // namespace plumbline::inputs
