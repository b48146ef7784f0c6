#include "conformance/inputs/shapes.h"

namespace plumbline::inputs {

Dyadic gaussian(const Stream& stream, const Position& at) {
  constexpr int kWords = 3;
  constexpr int kTerms = 4 * kWords;
  std::int64_t sum = 0;
  for (int n = 0; n < kWords; ++n) {
    const std::uint64_t word = stream.word(at.element() * kWords + static_cast<std::uint64_t>(n));
    for (int shift = 0; shift < 64; shift += 16) {
      sum += static_cast<std::int64_t>((word >> shift) & 0xFFFFU);
    }
  }
  return {2 * sum - kTerms * 0xFFFF, -17};
}

}  // namespace plumbline::inputs
