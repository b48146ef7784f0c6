#include "device/kernels/number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace plumbline::device {
namespace {

/// A binary format by its definition: value = (−1)^s · 2^(e − bias) · 1.m, subnormals for e = 0.
struct Definition {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  bool infinities;  ///< largest exponent holds infinity and NaN; else only all ones is NaN
};
constexpr Definition kBf16 = {8, 7, 127, true};
constexpr Definition kF16 = {5, 10, 15, true};
constexpr Definition kE4m3 = {4, 3, 7, false};

double value_of(const Definition& d, unsigned code) {
  const unsigned mantissa = code & ((1U << d.mantissa_bits) - 1U);
  const unsigned exponent = (code >> d.mantissa_bits) & ((1U << d.exponent_bits) - 1U);
  const bool negative = (code >> (d.mantissa_bits + d.exponent_bits)) & 1U;
  const unsigned top = (1U << d.exponent_bits) - 1U;
  double value = 0.0;
  if (d.infinities && exponent == top) {
    value = mantissa == 0 ? INFINITY : NAN;
  } else if (!d.infinities && exponent == top && mantissa == (1U << d.mantissa_bits) - 1U) {
    value = NAN;
  } else if (exponent == 0) {
    value = std::ldexp(mantissa, 1 - d.bias - d.mantissa_bits);
  } else {
    value = std::ldexp((1U << d.mantissa_bits) + mantissa,
                       static_cast<int>(exponent) - d.bias - d.mantissa_bits);
  }
  return negative ? -value : value;
}

template <class T>
T from_code(unsigned code) {
  T value{};
  value.bits = static_cast<decltype(value.bits)>(code);
  return value;
}

template <class T>
class Numbers : public testing::Test {};

template <class T>
struct Traits;
template <>
struct Traits<Bf16> {
  static constexpr Definition kDefinition = kBf16;
};
template <>
struct Traits<F16> {
  static constexpr Definition kDefinition = kF16;
};
template <>
struct Traits<E4m3> {
  static constexpr Definition kDefinition = kE4m3;
};

template <class T>
unsigned codes() {
  const Definition& d = Traits<T>::kDefinition;
  return 1U << (1 + d.exponent_bits + d.mantissa_bits);
}

using Formats = testing::Types<Bf16, F16, E4m3>;
TYPED_TEST_SUITE(Numbers, Formats);

TYPED_TEST(Numbers, EveryCodeHasTheValueOfItsDefinition) {
  for (unsigned code = 0; code < codes<TypeParam>(); ++code) {
    const double wanted = value_of(Traits<TypeParam>::kDefinition, code);
    const double got = to_float(from_code<TypeParam>(code));
    if (std::isnan(wanted)) {
      ASSERT_TRUE(std::isnan(got)) << code;
    } else {
      ASSERT_EQ(got, wanted) << code;
      ASSERT_EQ(std::signbit(got), std::signbit(wanted)) << code;
    }
  }
}

TYPED_TEST(Numbers, EveryNumberRoundsToItself) {
  for (unsigned code = 0; code < codes<TypeParam>(); ++code) {
    const float value = to_float(from_code<TypeParam>(code));
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(to_float(from_float<TypeParam>(value)))) << code;
    } else {
      ASSERT_EQ(from_float<TypeParam>(value).bits, from_code<TypeParam>(code).bits);
      ASSERT_EQ(from_float<TypeParam>(value, Rounding::kTruncate).bits,
                from_code<TypeParam>(code).bits);
    }
  }
}

TYPED_TEST(Numbers, BetweenTwoNumbersTheNearerWinsAndTheEvenOneATie) {
  const unsigned half = codes<TypeParam>() / 2;
  for (unsigned code = 0; code + 1 < half; ++code) {
    const float low = to_float(from_code<TypeParam>(code));
    const float high = to_float(from_code<TypeParam>(code + 1));
    if (!std::isfinite(low) || !std::isfinite(high)) continue;
    const float middle = low + (high - low) / 2;
    const unsigned even = code % 2 == 0 ? code : code + 1;
    ASSERT_EQ(from_float<TypeParam>(middle).bits, even) << code;
    ASSERT_EQ(from_float<TypeParam>(std::nextafter(middle, low)).bits, code);
    ASSERT_EQ(from_float<TypeParam>(std::nextafter(middle, high)).bits, code + 1);
    ASSERT_EQ(from_float<TypeParam>(-middle).bits, even | half) << code;
    ASSERT_EQ(from_float<TypeParam>(std::nextafter(high, low), Rounding::kTruncate).bits, code);
  }
}

TEST(E4m3Storage, SaturatesAt448) {
  for (const float big : {448.0F, 463.9F, 464.0F, 1e30F, INFINITY}) {
    EXPECT_EQ(from_float<E4m3>(big).bits, 0x7e) << big;
    EXPECT_EQ(from_float<E4m3>(-big).bits, 0xfe) << big;
  }
}

TEST(HalfStorage, OverflowsFrom65520) {
  EXPECT_EQ(from_float<F16>(65519.0F).bits, 0x7bff);
  EXPECT_EQ(from_float<F16>(65520.0F).bits, 0x7c00);
  EXPECT_EQ(from_float<Bf16>(std::numeric_limits<float>::max()).bits, 0x7f80);
}

}  // namespace
}  // namespace plumbline::device
