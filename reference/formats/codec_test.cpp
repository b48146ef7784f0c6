#include "reference/formats/codec.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "reference/spec/status.h"

namespace plumbline::formats {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// All codes of a format of at most 16 bits.
std::uint64_t code_count(const Format& format) { return std::uint64_t{1} << format.bits; }

/// The non-negative finite numbers of a narrow float format, ascending, with their codes.
std::vector<std::uint64_t> ascending_codes(const Format& format) {
  std::vector<std::uint64_t> codes;
  for (std::uint64_t code = 0; code < code_count(format); ++code) {
    const double value = decode(format.dtype, code);
    if (std::isfinite(value) && !std::signbit(value)) codes.push_back(code);
  }
  return codes;
}

std::vector<Format> formats_where(bool (*holds)(const Format&)) {
  std::vector<Format> chosen;
  std::copy_if(all_formats().begin(), all_formats().end(), std::back_inserter(chosen), holds);
  return chosen;
}

bool narrow(const Format& format) { return format.bits <= 16 && format.dtype != DType::kBool; }
bool narrow_float(const Format& format) { return narrow(format) && format.is_float(); }

/// A double of random mantissa whose magnitude is about the format's, or a special one.
rc::Gen<double> double_near(const Format& format) {
  const int low =
      format.is_float() ? std::max(format.min_exponent() - format.mantissa_bits - 3, -1070) : -3;
  const int high = std::min(std::ilogb(format.max_finite()) + 3, 1023);
  const auto exponent = rc::gen::inRange(low, high + 1);
  const auto bits = rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>());
  const auto ordinary = rc::gen::apply(
      [](int e, std::uint64_t b) {
        const double mantissa = 1.0 + std::ldexp(static_cast<double>(b >> 12), -52);
        return std::copysign(std::ldexp(mantissa, e), (b & 1) != 0 ? -1.0 : 1.0);
      },
      exponent, bits);
  const auto special =
      rc::gen::elementOf(std::vector<double>{0.0, -0.0, kInf, -kInf, kNan, 5e-324, -5e-324});
  return rc::gen::weightedOneOf<double>({{9, ordinary}, {1, special}});
}

rc::Gen<Format> any_format() {
  return rc::gen::elementOf(std::vector<Format>(all_formats().begin(), all_formats().end()));
}

TEST(Codec, KnownCodesOfThePublishedFormats) {
  EXPECT_EQ(decode(DType::kE4m3fn, 0x7E), 448.0);
  EXPECT_EQ(decode(DType::kE4m3fn, 0x01), std::ldexp(1.0, -9));
  EXPECT_EQ(decode(DType::kE4m3fnuz, 0x7F), 240.0);
  EXPECT_EQ(decode(DType::kE5m2, 0x7B), 57344.0);
  EXPECT_EQ(decode(DType::kE5m2, 0xFC), -kInf);
  EXPECT_EQ(decode(DType::kE5m2fnuz, 0x7F), 57344.0);
  EXPECT_EQ(decode(DType::kE4m3b11fnuz, 0x7F), 30.0);
  EXPECT_EQ(decode(DType::kE4m3, 0x77), 240.0);
  EXPECT_EQ(decode(DType::kE3m4, 0x6F), 15.5);
  EXPECT_EQ(decode(DType::kE2m3fn, 0x1F), 7.5);
  EXPECT_EQ(decode(DType::kE3m2fn, 0x1F), 28.0);
  EXPECT_EQ(decode(DType::kE8m0fnu, 0x00), std::ldexp(1.0, -127));
  EXPECT_EQ(decode(DType::kBf16, 0x3F80), 1.0);
  EXPECT_EQ(decode(DType::kF16, 0x7BFF), 65504.0);
  const std::vector<double> e2m1 = {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0};
  for (std::uint64_t code = 0; code < e2m1.size(); ++code) {
    EXPECT_EQ(decode(DType::kE2m1fn, code), e2m1[code]);
    EXPECT_TRUE(same(decode(DType::kE2m1fn, code | 8), -e2m1[code]));
  }
}

bool comes_back(const Format& format, std::uint64_t code) {
  const double value = decode(format.dtype, code);
  const std::uint64_t back = encode(format.dtype, value);
  return back == code || (std::isnan(value) && std::isnan(decode(format.dtype, back)));
}

TEST(Codec, EveryCodeComesBack) {
  for (const Format& format : formats_where(narrow)) {
    for (std::uint64_t code = 0; code < code_count(format); ++code) {
      EXPECT_TRUE(comes_back(format, code)) << format.name << " " << code;
    }
  }
}

TEST(Codec, CodesAreInTheOrderOfTheirValues) {
  for (const Format& format : formats_where(narrow_float)) {
    const auto codes = ascending_codes(format);
    EXPECT_EQ(decode(format.dtype, codes.back()), format.max_finite()) << format.name;
    for (std::size_t n = 1; n < codes.size(); ++n) {
      EXPECT_LT(decode(format.dtype, codes[n - 1]), decode(format.dtype, codes[n])) << format.name;
    }
  }
}

TEST(Codec, RoundsToTheNearerNeighbourAndHalfwayToTheEvenCode) {
  for (const Format& format : formats_where(narrow_float)) {
    const auto codes = ascending_codes(format);
    for (std::size_t n = 1; n < codes.size(); ++n) {
      const double middle =
          (decode(format.dtype, codes[n - 1]) + decode(format.dtype, codes[n])) / 2.0;
      const bool scale = format.specials == Specials::kScale;
      const std::uint64_t tie = !scale && codes[n] % 2 != 0 ? codes[n - 1] : codes[n];
      EXPECT_EQ(encode(format.dtype, middle), tie) << format.name << " " << middle;
      EXPECT_EQ(encode(format.dtype, std::nextafter(middle, 0.0)), codes[n - 1]) << format.name;
      EXPECT_EQ(encode(format.dtype, std::nextafter(middle, kInf)), codes[n]) << format.name;
    }
  }
}

TEST(Codec, RoundsOnceAndNotThroughFloat) {
  const double just_above_the_tie = 1.0 + std::ldexp(1.0, -8) + std::ldexp(1.0, -40);
  EXPECT_EQ(round_to(DType::kBf16, just_above_the_tie), 1.0 + std::ldexp(1.0, -7));
  EXPECT_EQ(round_to(DType::kBf16, static_cast<float>(just_above_the_tie)), 1.0);
}

TEST(Codec, OverflowIsTheFormatsOwnAnswer) {
  EXPECT_EQ(round_to(DType::kE4m3fn, 464.0), 448.0);
  EXPECT_TRUE(std::isnan(round_to(DType::kE4m3fn, std::nextafter(464.0, kInf))));
  EXPECT_TRUE(std::isnan(round_to(DType::kE4m3fn, -kInf)));
  EXPECT_TRUE(std::isnan(round_to(DType::kE4m3fnuz, 248.0)));
  EXPECT_EQ(round_to(DType::kE5m2, 61440.0), kInf);
  EXPECT_EQ(round_to(DType::kE5m2, std::nextafter(61440.0, 0.0)), 57344.0);
  EXPECT_EQ(round_to(DType::kF32, -1e300), -kInf);
  EXPECT_EQ(round_to(DType::kE2m1fn, kInf), 6.0);
  EXPECT_EQ(round_to(DType::kE3m2fn, -1e300), -28.0);
}

TEST(Codec, SaturationEndsAtTheLargestValueOfThatSign) {
  for (const Format& format : formats_where([](const Format& f) { return f.is_float(); })) {
    const double largest = format.max_finite();
    EXPECT_EQ(round_to(format.dtype, kInf, Overflow::kSaturate), largest) << format.name;
    EXPECT_EQ(round_to(format.dtype, largest, Overflow::kSaturate), largest) << format.name;
    if (format.specials == Specials::kScale) continue;
    EXPECT_EQ(round_to(format.dtype, -kInf, Overflow::kSaturate), -largest) << format.name;
  }
}

TEST(Codec, NanStaysNanWhereTheFormatHasOne) {
  for (const Format& format : formats_where([](const Format& f) { return f.is_float(); })) {
    for (const Overflow overflow : {Overflow::kFormat, Overflow::kSaturate}) {
      const double got = round_to(format.dtype, kNan, overflow);
      if (format.specials == Specials::kFinite) {
        EXPECT_TRUE(same(got, -0.0)) << format.name;
      } else {
        EXPECT_TRUE(std::isnan(got)) << format.name;
      }
    }
  }
}

TEST(Codec, ZeroKeepsItsSignWhereTheFormatHasTwo) {
  EXPECT_EQ(encode(DType::kE4m3fn, -0.0), 0x80U);
  EXPECT_EQ(encode(DType::kE4m3fnuz, -0.0), 0x00U);
  EXPECT_EQ(encode(DType::kE4m3fnuz, -1e-30), 0x00U);
  EXPECT_EQ(encode(DType::kBf16, -1e-300), 0x8000U);
}

TEST(Codec, ScalesArePowersOfTwoAndNothingElse) {
  EXPECT_EQ(encode(DType::kE8m0fnu, 1.0), 127U);
  EXPECT_EQ(encode(DType::kE8m0fnu, 1.5), 128U);
  EXPECT_EQ(encode(DType::kE8m0fnu, std::nextafter(1.5, 0.0)), 127U);
  EXPECT_EQ(encode(DType::kE8m0fnu, 1e-300), 0U);
  EXPECT_EQ(encode(DType::kE8m0fnu, 5e-324), 0U);
  for (const double none : {0.0, -0.0, -1.0, -kInf, kInf, kNan, std::ldexp(1.5, 127)}) {
    EXPECT_EQ(encode(DType::kE8m0fnu, none), 0xFFU) << none;
  }
}

TEST(Codec, IntegersRoundToEvenAndSaturate) {
  EXPECT_EQ(round_to(DType::kI8, 2.5), 2.0);
  EXPECT_EQ(round_to(DType::kI8, -3.5), -4.0);
  EXPECT_EQ(round_to(DType::kI8, 127.5), 127.0);
  EXPECT_EQ(round_to(DType::kI8, -1e9), -128.0);
  EXPECT_EQ(round_to(DType::kI8, kNan), 0.0);
  EXPECT_EQ(round_to(DType::kU8, -1.0), 0.0);
  EXPECT_EQ(round_to(DType::kU8, 300.0), 255.0);
  EXPECT_EQ(round_to(DType::kI32, 2147483646.5), 2147483646.0);
  EXPECT_EQ(round_to(DType::kI32, kInf), 2147483647.0);
  EXPECT_EQ(encode(DType::kI64, 1e19), 0x7FFFFFFFFFFFFFFFU);
  EXPECT_EQ(encode(DType::kI64, -1e19), 0x8000000000000000U);
  EXPECT_EQ(round_to(DType::kBool, 7.0), 1.0);
  EXPECT_EQ(round_to(DType::kBool, -7.0), 0.0);
}

TEST(Codec, UlpIsTheDistanceToTheNextNumber) {
  for (const Format& format : formats_where(narrow_float)) {
    const auto codes = ascending_codes(format);
    for (std::size_t n = 1; n < codes.size(); ++n) {
      const double below = decode(format.dtype, codes[n - 1]);
      EXPECT_EQ(ulp(format.dtype, below), decode(format.dtype, codes[n]) - below) << format.name;
      EXPECT_EQ(ulp(format.dtype, -below), ulp(format.dtype, below)) << format.name;
    }
    EXPECT_EQ(ulp(format.dtype, kInf), ulp(format.dtype, format.max_finite())) << format.name;
  }
  EXPECT_EQ(ulp(DType::kF32, 1.0), std::ldexp(1.0, -23));
  EXPECT_EQ(ulp(DType::kF32, 0.0), std::ldexp(1.0, -149));
  EXPECT_EQ(ulp(DType::kI8, 100.0), 1.0);
  EXPECT_TRUE(std::isnan(ulp(DType::kF32, kNan)));
}

RC_GTEST_PROP(Codec, RoundingTwiceIsRoundingOnce, ()) {
  const Format format = *any_format();
  const double once = round_to(format.dtype, *double_near(format));
  RC_ASSERT(same(round_to(format.dtype, once), once));
}

RC_GTEST_PROP(Codec, RoundingKeepsTheOrder, ()) {
  const Format format = *any_format();
  const double a = *double_near(format);
  const double b = *double_near(format);
  RC_PRE(a <= b);
  RC_PRE(format.specials != Specials::kScale || a > 0.0);
  RC_ASSERT(round_to(format.dtype, a, Overflow::kSaturate) <=
            round_to(format.dtype, b, Overflow::kSaturate));
}

RC_GTEST_PROP(Codec, RoundingErrorIsAtMostHalfAnUlp, ()) {
  const Format format = *any_format();
  const double x = *double_near(format);
  RC_PRE(std::fabs(x) <= format.max_finite());
  RC_PRE(format.specials != Specials::kScale && format.bits < 64);
  RC_PRE(format.dtype != DType::kBool && (x >= 0.0 || format.dtype != DType::kU8));
  RC_ASSERT(std::fabs(round_to(format.dtype, x) - x) <= ulp(format.dtype, x) / 2.0);
}

RC_GTEST_PROP(Codec, FloatAgreesWithTheMachine, ()) {
  const double x = *double_near(format_of(DType::kF32));
  RC_PRE(!(std::fabs(x) > std::numeric_limits<float>::max()));
  RC_ASSERT(same(round_to(DType::kF32, x), static_cast<double>(static_cast<float>(x))));
}

RC_GTEST_PROP(Codec, TensorsAreCodedElementByElement, ()) {
  const Format format = *any_format();
  const auto values = *rc::gen::container<std::vector<double>>(double_near(format));
  const auto overflow = *rc::gen::element(Overflow::kFormat, Overflow::kSaturate);
  const TensorSpec spec{format.dtype, {std::ssize(values)}, Layout::kLinear, 0};
  const std::vector<double> got = decode(encode(spec, values, overflow));
  RC_ASSERT(got.size() == values.size());
  for (std::size_t n = 0; n < values.size(); ++n) {
    RC_ASSERT(same(got[n], round_to(format.dtype, values[n], overflow)));
  }
}

TEST(Codec, RefusesTensorsThatDoNotFitTheirSpec) {
  const TensorSpec spec{DType::kF32, {3}, Layout::kLinear, 0};
  EXPECT_THROW(encode(spec, std::vector<double>{1.0, 2.0}), ContractViolation);
  EXPECT_THROW(decode(Tensor{spec, std::vector<std::byte>(8)}), ContractViolation);
}

}  // namespace
}  // namespace plumbline::formats
