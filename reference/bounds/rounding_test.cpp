#include "reference/bounds/rounding.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "reference/formats/codec.h"

namespace plumbline::bounds {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Enclosure one(double mid, double radius) {
  return {Matrix::Constant(1, 1, mid), Matrix::Constant(1, 1, radius)};
}

const std::vector<DType>& io_types() {
  static const std::vector<DType> types = {DType::kBf16, DType::kF16, DType::kF32, DType::kE4m3fn};
  return types;
}

/// Any finite double that the format might hold or overflow at, from an integer code.
double number_from(std::uint32_t code) {
  const float x = std::bit_cast<float>(code);
  return std::isfinite(x) ? static_cast<double>(x) * (1 + (code % 7) * 0x1p-30) : 1.0;
}

RC_GTEST_PROP(Rounding, OnBitsIsWhatTheCodecDoes, ()) {
  const DType dtype = *rc::gen::elementOf(io_types());
  Matrix values = Matrix::Zero(1, 70);
  for (Eigen::Index j = 0; j < values.size(); ++j)
    values(0, j) = number_from(*rc::gen::arbitrary<std::uint32_t>());
  Matrix rounded = values;
  round_all(dtype, rounded);
  for (Eigen::Index j = 0; j < values.size(); ++j) {
    const double expected = formats::round_to(dtype, values(0, j));
    RC_ASSERT(rounded(0, j) == expected || (std::isnan(expected) && std::isnan(rounded(0, j))));
  }
}

RC_GTEST_PROP(Rounding, AcceptSetHoldsEveryRoundedMember, ()) {
  const DType dtype = *rc::gen::elementOf(io_types());
  const double mid = number_from(*rc::gen::arbitrary<std::uint32_t>());
  const double radius = std::abs(mid) * std::ldexp(1.0, -*rc::gen::inRange(2, 20));
  const double member = mid + radius * (*rc::gen::inRange(-100, 101) / 100.0);
  Enclosure enclosure = one(mid, radius);
  round_enclosure(dtype, enclosure);
  const double got = formats::round_to(dtype, member);
  if (std::isfinite(got)) {
    RC_ASSERT(std::abs(got - enclosure.mid(0, 0)) <= enclosure.radius(0, 0));
  }
}

TEST(Rounding, EqualEndsEraseTheError) {
  Enclosure enclosure = one(1.001, 0.001);
  round_enclosure(DType::kBf16, enclosure);
  EXPECT_EQ(enclosure.mid(0, 0), 1.0);
  EXPECT_EQ(enclosure.radius(0, 0), 0.0);
}

TEST(Rounding, AFlipCandidateSpansBothCodes) {
  Enclosure enclosure = one(1 + 0x1p-8, 1e-6);
  round_enclosure(DType::kBf16, enclosure);
  EXPECT_EQ(enclosure.mid(0, 0) - enclosure.radius(0, 0), 1.0);
  EXPECT_EQ(enclosure.mid(0, 0) + enclosure.radius(0, 0), 1 + 0x1p-7);
}

TEST(Rounding, NanStaysAndNothingElseBecomesNan) {
  Enclosure enclosure = one(std::nan(""), 0);
  round_enclosure(DType::kBf16, enclosure);
  EXPECT_TRUE(std::isnan(enclosure.mid(0, 0)));
  enclosure = one(1.0, std::nan(""));
  round_enclosure(DType::kBf16, enclosure);
  EXPECT_EQ(enclosure.radius(0, 0), kInfinity);
  enclosure = one(7e4, 1e4);
  round_enclosure(DType::kF16, enclosure);
  EXPECT_EQ(enclosure.radius(0, 0), kInfinity) << "one end overflows, the other does not";
}

TEST(Rounding, OutputsAddHalfAnUlpUnlessTheyAreKnownExactly) {
  Enclosure enclosure{Matrix::Zero(1, 5), Matrix::Zero(1, 5)};
  enclosure.mid << 0.0, 1.0, 1.001, kInfinity, std::nan("");
  enclosure.radius(0, 1) = 0x1p-20;
  add_output_rounding(DType::kBf16, enclosure);
  EXPECT_EQ(enclosure.radius(0, 0), 0.0) << "an exact zero stays exact";
  EXPECT_EQ(enclosure.radius(0, 1), 0x1p-20 + 0x1p-8);
  EXPECT_EQ(enclosure.mid(0, 2), 1.0) << "what is exact rounds to one number";
  EXPECT_EQ(enclosure.radius(0, 2), 0.0);
  EXPECT_EQ(enclosure.radius(0, 3), 0.0);
  EXPECT_EQ(enclosure.radius(0, 4), 0.0);
}

TEST(Rounding, AnExactOutputIsRoundedAndStaysExact) {
  Enclosure enclosure = one(257.0, 0);
  add_output_rounding(DType::kBf16, enclosure);
  EXPECT_EQ(enclosure.mid(0, 0), 256.0) << "a tie goes to the even code";
  EXPECT_EQ(enclosure.radius(0, 0), 0.0);
}

TEST(Rounding, AnOutputThatUnderflowsIsZero) {
  Enclosure enclosure = one(1e-31, 1e-33);
  add_output_rounding(DType::kF16, enclosure);
  EXPECT_EQ(enclosure.mid(0, 0), 0.0);
  EXPECT_EQ(enclosure.radius(0, 0), 0.0);
}

TEST(Rounding, AnOutputThatOverflowsIsInfinite) {
  Enclosure enclosure{Matrix::Zero(1, 4), Matrix::Constant(1, 4, 20.0)};
  enclosure.mid << 7e4, -7e4, 65520.0, 65490.0;
  add_output_rounding(DType::kF16, enclosure);
  EXPECT_EQ(enclosure.mid(0, 0), kInfinity);
  EXPECT_EQ(enclosure.radius(0, 0), 0.0);
  EXPECT_EQ(enclosure.mid(0, 1), -kInfinity);
  EXPECT_EQ(enclosure.radius(0, 2), kInfinity) << "the largest number and infinity are both right";
  EXPECT_EQ(enclosure.radius(0, 3), 20.0 + 16.0) << "65510 still rounds to 65504";
}

TEST(Rounding, HalfUlpFollowsTheFormat) {
  for (const DType dtype : io_types()) {
    for (const double x : {0.0, 1e-9, 0.7, 1.0, 1.999, 100.0, 1e9}) {
      EXPECT_EQ(half_ulp(dtype, x), formats::ulp(dtype, x) / 2) << name_of(dtype) << " at " << x;
    }
  }
  EXPECT_EQ(half_ulp(DType::kI32, 5.0), 0.0);
}

TEST(Rounding, GammaGrowsWithTermsAndSaysNothingWhereItCannot) {
  EXPECT_LT(gamma32(100, 0, false), gamma32(101, 0, false));
  EXPECT_NEAR(gamma32(1000, 0, true) / gamma32(1000, 0, false), 2.2, 1e-9);
  EXPECT_EQ(gamma32(std::int64_t{1} << 24, 0, false), kInfinity);
}

}  // namespace
}  // namespace plumbline::bounds
