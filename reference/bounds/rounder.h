#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "reference/formats/codec.h"
#include "reference/spec/format.h"

namespace plumbline::bounds {

/// The numbers of a format as a grid that is open at the top: nearest even in four operations that
/// vectorise. The spacing at x is a power of two, and adding and taking away 1.5·2^52 spacings
/// leaves a multiple of it. Right for |x| up to the largest number of the format.
class Grid {
 public:
  explicit Grid(DType dtype)
      : smallest_(format_of(dtype).is_float() ? std::ldexp(1.0, format_of(dtype).min_exponent())
                                              : 1.0),
        steps_(std::ldexp(1.5, 52 - format_of(dtype).mantissa_bits)),
        floating_(format_of(dtype).is_float()) {}

  /// The power of two at or below |x|, and not below the smallest normal number; 1 for integers.
  double binade(double x) const {
    const auto bits = std::bit_cast<std::uint64_t>(x) & 0x7FF0000000000000U;
    return floating_ ? std::max(std::bit_cast<double>(bits), smallest_) : 1.0;
  }
  /// Distance of neighbouring numbers at x.
  double spacing(double x) const { return binade(x) * (steps_ / 0x1.8p52); }
  double operator()(double x) const {
    const double far = binade(x) * steps_;
    return (x + far) - far;
  }

 private:
  double smallest_;
  double steps_;
  bool floating_;
};

/// Nearest-even rounding of doubles to one format: on the bits of the double where the result is a
/// normal number or zero, through the codec elsewhere.
class Rounder {
 public:
  explicit Rounder(DType dtype)
      : dtype_(dtype),
        dropped_(52 - format_of(dtype).mantissa_bits),
        smallest_(std::ldexp(1.0, format_of(dtype).min_exponent())),
        largest_(format_of(dtype).max_finite()),
        by_bits_(format_of(dtype).is_float() && dropped_ > 0) {}

  /// What is no larger than the largest number rounds to no more than it.
  bool simple(double value) const {
    const double magnitude = std::abs(value);
    return magnitude <= largest_ && (magnitude >= smallest_ || magnitude == 0);
  }
  bool by_bits() const { return by_bits_; }

  double on_bits(double value) const {
    auto bits = std::bit_cast<std::uint64_t>(value);
    bits += (std::uint64_t{1} << (dropped_ - 1)) - 1 + ((bits >> dropped_) & 1);
    return std::bit_cast<double>(bits >> dropped_ << dropped_);
  }

  double operator()(double value) const {
    return by_bits_ && simple(value) ? on_bits(value) : formats::round_to(dtype_, value);
  }

 private:
  DType dtype_;
  int dropped_;
  double smallest_;
  double largest_;
  bool by_bits_;
};

}  // namespace plumbline::bounds
