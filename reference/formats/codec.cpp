#include "reference/formats/codec.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace plumbline::formats {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kDoubleMantissaBits = 52;
constexpr int kDoubleBias = 1023;
constexpr std::uint64_t kScaleNan = 0xFF;

std::uint64_t ones(int count) { return count == 0 ? 0 : ~std::uint64_t{0} >> (64 - count); }

bool is_signed(DType integer) { return integer != DType::kU8 && integer != DType::kBool; }

int magnitude_bits(const Format& integer) {
  if (integer.dtype == DType::kBool) return 1;
  return is_signed(integer.dtype) ? integer.bits - 1 : integer.bits;
}

double decode_integer(const Format& format, std::uint64_t code) {
  if (format.dtype == DType::kBool) return (code & ones(format.bits)) != 0 ? 1.0 : 0.0;
  if (!is_signed(format.dtype)) return static_cast<double>(code & ones(format.bits));
  const int unused = 64 - format.bits;
  return static_cast<double>(static_cast<std::int64_t>(code << unused) >> unused);
}

std::uint64_t encode_integer(const Format& format, double value) {
  if (std::isnan(value)) return 0;
  const int bits = magnitude_bits(format);
  const double end = std::ldexp(1.0, bits);
  const double low = is_signed(format.dtype) ? -end : 0.0;
  const double rounded = std::nearbyint(value);
  if (rounded >= end) return ones(bits);
  if (rounded <= low) return is_signed(format.dtype) ? std::uint64_t{1} << bits : 0;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(rounded)) & ones(format.bits);
}

double decode_scale(const Format& format, std::uint64_t code) {
  code &= ones(format.bits);
  return code == kScaleNan ? kNan : std::ldexp(1.0, static_cast<int>(code) - format.bias);
}

std::uint64_t encode_scale(const Format& format, double value, Overflow overflow) {
  if (!(value > 0.0)) return kScaleNan;
  const int top = static_cast<int>(kScaleNan) - 1 - format.bias;
  int exponent = std::isinf(value) ? top + 1 : std::ilogb(value);
  if (!std::isinf(value) && std::ldexp(value, -exponent) >= 1.5) ++exponent;
  if (exponent > top) return overflow == Overflow::kSaturate ? kScaleNan - 1 : kScaleNan;
  return static_cast<std::uint64_t>(std::max(exponent, -format.bias) + format.bias);
}

/// The code, sign aside, of infinity in an IEEE-like format: above all finite ones.
std::uint64_t infinity_code(const Format& format) {
  return ones(format.exponent_bits) << format.mantissa_bits;
}

std::uint64_t largest_finite_code(const Format& format) {
  if (format.specials == Specials::kIeee) return infinity_code(format) - 1;
  return ones(format.bits - 1) - (format.specials == Specials::kFn ? 1 : 0);
}

double decode_magnitude(const Format& format, std::uint64_t magnitude) {
  const std::uint64_t exponent = magnitude >> format.mantissa_bits;
  if (exponent == 0) {
    return std::ldexp(static_cast<double>(magnitude), format.min_exponent() - format.mantissa_bits);
  }
  const auto shift = static_cast<std::uint64_t>(kDoubleBias - format.bias) << format.mantissa_bits;
  return std::bit_cast<double>((magnitude + shift) << (kDoubleMantissaBits - format.mantissa_bits));
}

double decode_float(const Format& format, std::uint64_t code) {
  const bool negative = (code >> (format.bits - 1) & 1) != 0;
  const std::uint64_t magnitude = code & ones(format.bits - 1);
  double value = kNan;
  if (magnitude <= largest_finite_code(format)) {
    value = decode_magnitude(format, magnitude);
  } else if (format.specials == Specials::kIeee && magnitude == infinity_code(format)) {
    value = kInfinity;
  }
  if (format.specials == Specials::kFnuz && negative && magnitude == 0) return kNan;
  return std::copysign(value, negative ? -1.0 : 1.0);
}

/// Nearest code, ties to even, with the exponent range open at the top. The carry out of the
/// mantissa moves into the exponent by itself, from the subnormals too.
std::uint64_t round_magnitude(const Format& format, double magnitude) {
  if (magnitude < std::ldexp(1.0, format.min_exponent())) {
    const double steps = std::ldexp(magnitude, format.mantissa_bits - format.min_exponent());
    return static_cast<std::uint64_t>(std::nearbyint(steps));
  }
  const int dropped = kDoubleMantissaBits - format.mantissa_bits;
  const auto bits = std::bit_cast<std::uint64_t>(magnitude);
  const std::uint64_t odd = bits >> dropped & 1;
  const std::uint64_t rounded = (bits + ones(dropped - 1) + odd) >> dropped;
  return rounded - (static_cast<std::uint64_t>(kDoubleBias - format.bias) << format.mantissa_bits);
}

std::uint64_t nan_code(const Format& format, std::uint64_t sign) {
  switch (format.specials) {
    case Specials::kIeee:
      return sign | infinity_code(format) | std::uint64_t{1} << (format.mantissa_bits - 1);
    case Specials::kFn:
      return sign | ones(format.bits - 1);
    default:
      return std::uint64_t{1} << (format.bits - 1);
  }
}

std::uint64_t overflow_code(const Format& format, std::uint64_t sign, Overflow overflow) {
  if (overflow == Overflow::kSaturate || format.specials == Specials::kFinite) {
    return sign | largest_finite_code(format);
  }
  if (format.specials == Specials::kIeee) return sign | infinity_code(format);
  return nan_code(format, sign);
}

std::uint64_t encode_float(const Format& format, double value, Overflow overflow) {
  const std::uint64_t sign = std::uint64_t{std::signbit(value)} << (format.bits - 1);
  if (std::isnan(value)) return nan_code(format, sign);
  if (std::isinf(value)) return overflow_code(format, sign, overflow);
  const std::uint64_t magnitude = round_magnitude(format, std::fabs(value));
  if (magnitude > largest_finite_code(format)) return overflow_code(format, sign, overflow);
  if (format.specials == Specials::kFnuz && magnitude == 0) return 0;
  return sign | magnitude;
}

}  // namespace

double decode(DType dtype, std::uint64_t code) {
  const Format& format = format_of(dtype);
  if (!format.is_float()) return decode_integer(format, code);
  if (format.specials == Specials::kScale) return decode_scale(format, code);
  if (dtype == DType::kF64) return std::bit_cast<double>(code);
  return decode_float(format, code);
}

std::uint64_t encode(DType dtype, double value, Overflow overflow) {
  const Format& format = format_of(dtype);
  if (!format.is_float()) return encode_integer(format, value);
  if (format.specials == Specials::kScale) return encode_scale(format, value, overflow);
  if (dtype != DType::kF64) return encode_float(format, value, overflow);
  if (overflow == Overflow::kSaturate && std::isinf(value)) {
    value = std::copysign(std::numeric_limits<double>::max(), value);
  }
  return std::bit_cast<std::uint64_t>(value);
}

double round_to(DType dtype, double value, Overflow overflow) {
  return decode(dtype, encode(dtype, value, overflow));
}

double ulp(DType dtype, double x) {
  const Format& format = format_of(dtype);
  if (std::isnan(x)) return kNan;
  if (!format.is_float()) return 1.0;
  const int top = std::ilogb(format.max_finite());
  const int bottom = format.specials == Specials::kScale ? -format.bias : format.min_exponent();
  int exponent = bottom;
  if (std::isinf(x)) exponent = top;
  if (std::isfinite(x) && x != 0.0) exponent = std::clamp(std::ilogb(x), bottom, top);
  return std::ldexp(1.0, exponent - format.mantissa_bits);
}

}  // namespace plumbline::formats
