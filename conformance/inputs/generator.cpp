#include "conformance/inputs/generator.h"

#include <bit>

namespace plumbline::inputs {

Stream::Stream(std::uint64_t seed, std::string_view name) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  }
  key_ = finalise(seed ^ hash);
}

std::uint64_t Stream::finalise(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

std::uint64_t Stream::below(std::uint64_t n, std::uint64_t count) const {
  // 32-bit halves: a 128-bit product without a 128-bit type.
  const std::uint64_t bits = word(n);
  const std::uint64_t low = (bits & 0xFFFFFFFFU) * count;
  return ((bits >> 32) * count + (low >> 32)) >> 32;
}

double Dyadic::value() const {
  const auto power = std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
  return static_cast<double>(m) * power;
}

}  // namespace plumbline::inputs
