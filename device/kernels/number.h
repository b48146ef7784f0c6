#pragma once
#include <hip/hip_runtime.h>

#include <cstdint>

/// Number formats on the device: plain bits and own conversions, the same bits on every target.
/// Nothing here is shared with the reference: two sides that share a conversion share its mistakes.
namespace plumbline::device {

/// Storage of bfloat16, binary16 and float8 e4m3fn.
struct Bf16 {
  std::uint16_t bits;
};
struct F16 {
  std::uint16_t bits;
};
struct E4m3 {
  std::uint8_t bits;
};

struct I8 {
  std::int8_t bits;
};

/// How a float becomes a narrower number.
enum class Rounding : std::uint8_t { kNearestEven, kTruncate };

__host__ __device__ inline float float_of_bits(std::uint32_t bits) {
  union {
    std::uint32_t bits;
    float value;
  } both;
  both.bits = bits;
  return both.value;
}

__host__ __device__ inline std::uint32_t bits_of_float(float value) {
  union {
    float value;
    std::uint32_t bits;
  } both;
  both.value = value;
  return both.bits;
}

__host__ __device__ inline float to_float(float value) { return value; }

__host__ __device__ inline float to_float(I8 value) { return static_cast<float>(value.bits); }

__host__ __device__ inline float to_float(Bf16 value) {
  return float_of_bits(static_cast<std::uint32_t>(value.bits) << 16);
}

/// Exact for every code; subnormals are mantissa · 2⁻²⁴. Selections, no branches: a branch would
/// keep short arrays of values out of GPU registers.
__host__ __device__ inline float to_float(F16 value) {
  const std::uint32_t sign = static_cast<std::uint32_t>(value.bits & 0x8000u) << 16;
  const std::uint32_t code = value.bits & 0x7fffu;
  const std::uint32_t normal = (code << 13) + (112u << 23);
  const std::uint32_t subnormal = bits_of_float(static_cast<float>(code) * 0x1p-24F);
  const std::uint32_t special = 0x7f800000u | (code << 13);
  const std::uint32_t finite = code < 0x400u ? subnormal : normal;
  return float_of_bits(sign | (code >= 0x7c00u ? special : finite));
}

/// e4m3fn: bias 7, no infinity, 0x7f and 0xff are NaN; subnormals are mantissa · 2⁻⁹.
__host__ __device__ inline float to_float(E4m3 value) {
  const std::uint32_t sign = static_cast<std::uint32_t>(value.bits & 0x80u) << 24;
  const std::uint32_t code = value.bits & 0x7fu;
  const float normal = float_of_bits((code << 20) + (120u << 23));
  const float subnormal = static_cast<float>(code) * 0x1p-9F;
  const float magnitude = code < 8u ? subnormal : normal;
  return float_of_bits(code == 0x7fu ? 0x7fc00000u : sign | bits_of_float(magnitude));
}

template <class T>
struct FromFloat;

template <>
struct FromFloat<float> {
  static __host__ __device__ inline float round(float value, Rounding) { return value; }
};

template <>
struct FromFloat<Bf16> {
  /// NaN stays NaN and becomes quiet.
  static __host__ __device__ inline Bf16 round(float value, Rounding rounding) {
    const std::uint32_t bits = bits_of_float(value);
    const bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
    const std::uint32_t up =
        rounding == Rounding::kNearestEven ? 0x7fffu + ((bits >> 16) & 1u) : 0u;
    const std::uint32_t rounded = nan ? (bits >> 16) | 0x40u : (bits + up) >> 16;
    return Bf16{static_cast<std::uint16_t>(rounded)};
  }
};

template <>
struct FromFloat<F16> {
  /// Beyond the largest number: infinity (nearest even: from 65520 on). NaN stays NaN.
  static __host__ __device__ inline F16 round(float value, Rounding rounding) {
    const std::uint32_t bits = bits_of_float(value);
    const std::uint32_t sign = (bits >> 16) & 0x8000u;
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return F16{static_cast<std::uint16_t>(sign | 0x7e00u)};
    const bool nearest = rounding == Rounding::kNearestEven;
    if (magnitude >= (nearest ? 0x477ff000u : 0x47800000u)) {
      return F16{static_cast<std::uint16_t>(sign | 0x7c00u)};
    }
    if (magnitude < 0x38800000u) {
      // Adding 1/2 moves the last place of a half subnormal to the last place of the float.
      const float absolute = float_of_bits(magnitude);
      const float shifted = nearest ? absolute + 0.5F : 0.5F;
      const std::uint32_t code = nearest ? bits_of_float(shifted) - bits_of_float(0.5F)
                                         : static_cast<std::uint32_t>(absolute * 0x1p24F);
      return F16{static_cast<std::uint16_t>(sign | code)};
    }
    const std::uint32_t up = nearest ? 0xfffu + ((magnitude >> 13) & 1u) : 0u;
    return F16{static_cast<std::uint16_t>(sign | (((magnitude + up) >> 13) - (112u << 10)))};
  }
};

template <>
struct FromFloat<E4m3> {
  /// Saturates at ±448; NaN becomes 0x7f.
  static __host__ __device__ inline E4m3 round(float value, Rounding rounding) {
    const std::uint32_t bits = bits_of_float(value);
    const std::uint32_t sign = (bits >> 24) & 0x80u;
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return E4m3{0x7f};
    const float absolute = float_of_bits(magnitude);
    const bool nearest = rounding == Rounding::kNearestEven;
    if (absolute >= 448.0F) return E4m3{static_cast<std::uint8_t>(sign | 0x7eu)};
    if (absolute < 0x1p-6F) {
      // 2¹⁴ has its last place at 2⁻⁹, the step of the subnormals.
      const std::uint32_t code = nearest
                                     ? bits_of_float(absolute + 0x1p14F) - bits_of_float(0x1p14F)
                                     : static_cast<std::uint32_t>(absolute * 0x1p9F);
      return E4m3{static_cast<std::uint8_t>(sign | code)};
    }
    const std::uint32_t up = nearest ? 0x7ffffu + ((magnitude >> 20) & 1u) : 0u;
    return E4m3{static_cast<std::uint8_t>(sign | (((magnitude + up) >> 20) - (120u << 3)))};
  }
};

/// A float as T. Nearest even unless asked otherwise.
template <class T>
__host__ __device__ inline T from_float(float value, Rounding rounding = Rounding::kNearestEven) {
  return FromFloat<T>::round(value, rounding);
}

}  // namespace plumbline::device
