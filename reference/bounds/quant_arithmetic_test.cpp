#include "reference/bounds/quant_arithmetic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/bounds/group_quant.h"

namespace plumbline::bounds {
namespace {

DynamicQuant int8(QuantArithmetic arithmetic) { return {DType::kI8, 0, arithmetic}; }

/// Values of bf16 below amax, in steps that meet ties.
std::vector<float> values_below(float amax) {
  std::vector<float> values;
  for (int n = -128; n <= 128; ++n) values.push_back(amax * static_cast<float>(n) / 128);
  return values;
}

/// Moves a number by so many ulp of fp32.
float moved(float value, int ulps) {
  for (int n = 0; n < std::abs(ulps); ++n) {
    value = std::nextafter(value, ulps < 0 ? 0.0F : INFINITY);
  }
  return value;
}

TEST(QuantArithmetic, ScalesFollowTheirRuleBitByBit) {
  int different = 0;
  for (int n = 128; n < 256; ++n) {
    const auto amax = static_cast<float>(n) / 64;
    const float divided = quant_step(amax, int8({})).scale;
    const float multiplied = quant_step(amax, int8({.scale = ScaleDivision::kReciprocal})).scale;
    EXPECT_EQ(divided, amax / 127.0F);
    EXPECT_EQ(multiplied, amax * (1.0F / 127.0F));
    different += divided != multiplied ? 1 : 0;
  }
  EXPECT_GT(different, 0) << "the rules could not be told apart";
}

TEST(QuantArithmetic, ATinyGroupHasTheScaleOfTheFloor) {
  EXPECT_EQ(quant_step(0, int8({})).scale, 1e-10F / 127.0F);
}

TEST(QuantArithmetic, TiesOfIntegersGoWhereTheProfileSays) {
  const DynamicQuant even = int8({.ties = IntegerTies::kEven});
  const DynamicQuant away = int8({.ties = IntegerTies::kAway});
  EXPECT_EQ(code_of(2.5, even), 2);
  EXPECT_EQ(code_of(2.5, away), 3);
  EXPECT_EQ(code_of(-2.5, even), -2);
  EXPECT_EQ(code_of(-2.5, away), -3);
  EXPECT_EQ(code_of(2.4999998, away), 2);
}

TEST(QuantArithmetic, ExactRulesLeaveOneQuotient) {
  for (const Quotient rule : {Quotient::kDivide, Quotient::kReciprocal}) {
    const DynamicQuant quant{DType::kE4m3fn, 128, {.quotient = rule}};
    const QuantStep step = quant_step(3.1415F, quant);
    for (const float x : values_below(3.1415F)) {
      const float wanted = rule == Quotient::kDivide ? x / step.scale : x * (1.0F / step.scale);
      EXPECT_EQ(quotient_low(x, step, quant), std::min(wanted, 448.0F));
      EXPECT_EQ(quotient_high(x, step, quant), std::min(wanted, 448.0F));
    }
  }
}

void expect_divisions_held(float amax, const DynamicQuant& quant, int ulps) {
  const QuantStep step = quant_step(amax, quant);
  const bool from_amax = quant.arithmetic.quotient == Quotient::kApproximateAmax;
  const float factor = moved(from_amax ? 127.0F / amax : 1.0F / step.scale, ulps);
  for (const float x : values_below(amax)) {
    const float q = std::clamp(x * factor, -127.0F, 127.0F);
    EXPECT_LE(quotient_low(x, step, quant), q);
    EXPECT_GE(quotient_high(x, step, quant), q);
  }
}

TEST(QuantArithmetic, ApproximateRulesHoldEveryDivisionWithinTwoUlp) {
  const DynamicQuant by_amax = int8({.quotient = Quotient::kApproximateAmax});
  const DynamicQuant by_scale = int8({.quotient = Quotient::kApproximateReciprocal});
  for (int n = 128; n < 256; ++n) {
    for (int ulps = -1; ulps <= 1; ++ulps) {
      expect_divisions_held(static_cast<float>(n) / 64, by_amax, ulps);
      expect_divisions_held(static_cast<float>(n) / 64, by_scale, ulps);
    }
  }
}

TEST(QuantArithmetic, ApproximateRulesOpenTiesAndNothingElse) {
  const DynamicQuant quant =
      int8({.quotient = Quotient::kApproximateAmax, .ties = IntegerTies::kAway});
  const QuantStep step = quant_step(127, quant);
  const auto open = [&](double x) {
    return code_of(quotient_low(x, step, quant), quant) !=
           code_of(quotient_high(x, step, quant), quant);
  };
  EXPECT_TRUE(open(63.5));
  EXPECT_TRUE(open(-63.5));
  EXPECT_FALSE(open(63.5 + 0x1p-10));
  EXPECT_FALSE(open(63.5 - 0x1p-10));
  EXPECT_FALSE(open(0));
  EXPECT_FALSE(open(127));
}

TEST(QuantArithmetic, RowsEncloseWhatEveryDivisionMakesOfThem) {
  const DynamicQuant quant = int8({.scale = ScaleDivision::kReciprocal,
                                   .quotient = Quotient::kApproximateAmax,
                                   .ties = IntegerTies::kAway});
  for (int n = 128; n < 256; ++n) {
    const auto amax = static_cast<float>(n) / 64;
    const std::vector<float> values = values_below(amax);
    Matrix row(1, std::ssize(values));
    std::copy(values.begin(), values.end(), row.data());
    const Enclosure rows = quantize_rows(Enclosure::exact(row), quant);
    const double scale = quant_step(amax, quant).scale;
    for (int ulps = -1; ulps <= 1; ++ulps) {
      const Eigen::ArrayXXf quotients = row.cast<float>().array() * moved(127.0F / amax, ulps);
      const Matrix made = (quotients.round().cast<double>() * scale).matrix();
      const Matrix beyond = (made - rows.mid).cwiseAbs() - rows.radius * (1 + 0x1p-50);
      EXPECT_LE(beyond.maxCoeff(), 0);
    }
  }
}

}  // namespace
}  // namespace plumbline::bounds
