#pragma once
#include <cstdint>
#include <string_view>

namespace plumbline::inputs {

/// The counter-based generator: word n of a stream is a pure function of (seed, stream name, n),
/// so that any element of any tensor can be made alone, in any order, on any machine. Integers
/// only. Word n is the SplitMix64 finaliser of key + (n + 1)·0x9E3779B97F4A7C15 (mod 2⁶⁴); the key
/// is the finaliser of seed XOR the 64-bit FNV-1a hash of the name. Source: Steele, Lea & Flood
/// 2014, fig. 13 (SplitMix); Fowler–Noll–Vo. generator.py is its twin.
class Stream {
 public:
  Stream(std::uint64_t seed, std::string_view name);

  /// 64 uniform bits.
  std::uint64_t word(std::uint64_t n) const { return finalise(key_ + (n + 1) * kGolden); }
  /// Uniform in [0, count), count ≤ 2³²: the upper half of word n · count (bias below count/2⁶⁴).
  std::uint64_t below(std::uint64_t n, std::uint64_t count) const;

 private:
  static constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15U;
  static std::uint64_t finalise(std::uint64_t z);

  std::uint64_t key_;
};

/// A number m·2^exponent that a double holds exactly.
struct Dyadic {
  std::int64_t m = 0;
  int exponent = 0;

  /// Exact: |m| < 2⁵³ and the exponent stays within the normal range.
  double value() const;
  friend bool operator==(const Dyadic&, const Dyadic&) = default;
};

}  // namespace plumbline::inputs
