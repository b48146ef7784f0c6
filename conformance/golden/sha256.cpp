#include "conformance/golden/sha256.h"

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace plumbline::golden {
namespace {

using Words = std::array<std::uint32_t, 8>;

constexpr std::size_t kBlockBytes = 64;
constexpr std::size_t kRounds = 64;

constexpr std::array<std::uint32_t, kRounds> first_primes() {
  std::array<std::uint32_t, kRounds> primes{};
  std::size_t count = 0;
  for (std::uint32_t n = 2; count < kRounds; ++n) {
    bool prime = true;
    for (std::size_t i = 0; i < count; ++i) prime = prime && n % primes[i] != 0;
    if (prime) primes[count++] = n;
  }
  return primes;
}

/// Largest root with rootᵖ ≤ n · 2^(32p), of which the low 32 bits are the fraction's first 32.
constexpr std::uint32_t root_fraction(std::uint32_t n, int power) {
  using Wide = unsigned __int128;
  std::uint64_t root = 0;
  for (int bit = 36; bit-- > 0;) {
    const std::uint64_t next = root | std::uint64_t{1} << bit;
    const Wide square = Wide{next} * next;
    // The cube would need 108 bits, and n · 2^96 needs 105: both fit.
    const bool fits = power == 2 ? square <= Wide{n} << 64 : square * next <= Wide{n} << 96;
    if (fits) root = next;
  }
  return static_cast<std::uint32_t>(root);
}

constexpr std::array<std::uint32_t, kRounds> kPrimes = first_primes();

constexpr std::array<std::uint32_t, kRounds> make_constants() {
  std::array<std::uint32_t, kRounds> constants{};
  for (std::size_t i = 0; i < kRounds; ++i) constants[i] = root_fraction(kPrimes[i], 3);
  return constants;
}
constexpr std::array<std::uint32_t, kRounds> kConstants = make_constants();

std::array<std::uint32_t, kRounds> schedule(std::span<const std::byte> block) {
  std::array<std::uint32_t, kRounds> w{};
  for (std::size_t i = 0; i < kBlockBytes; ++i) {
    w[i / 4] = w[i / 4] << 8 | std::to_integer<std::uint32_t>(block[i]);
  }
  for (std::size_t i = 16; i < kRounds; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  return w;
}

void absorb(std::span<const std::byte> block, Words& state) {
  const auto w = schedule(block);
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < kRounds; ++i) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kConstants[i] + w[i];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const Words mixed = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += mixed[i];
}

/// What is left behind the last whole block, a 1 bit, zeros, and the length in bits.
std::vector<std::byte> padded_tail(std::span<const std::byte> bytes) {
  const auto rest = bytes.last(bytes.size() % kBlockBytes);
  std::vector<std::byte> tail(rest.begin(), rest.end());
  tail.push_back(std::byte{0x80});
  while (tail.size() % kBlockBytes != kBlockBytes - 8) tail.push_back(std::byte{0});
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8) {
    tail.push_back(static_cast<std::byte>(bits >> shift & 0xFF));
  }
  return tail;
}

}  // namespace

std::string sha256(std::span<const std::byte> bytes) {
  Words state{};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] = root_fraction(kPrimes[i], 2);
  const std::vector<std::byte> tail = padded_tail(bytes);
  for (std::size_t at = 0; at + kBlockBytes <= bytes.size(); at += kBlockBytes) {
    absorb(bytes.subspan(at, kBlockBytes), state);
  }
  for (std::size_t at = 0; at < tail.size(); at += kBlockBytes) {
    absorb(std::span(tail).subspan(at, kBlockBytes), state);
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint32_t word : state) {
    for (int shift = 28; shift >= 0; shift -= 4) text += kDigits[word >> shift & 0xF];
  }
  return text;
}

}  // namespace plumbline::golden
