#include "reference/formats/scale_rule.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "reference/formats/codec.h"

namespace plumbline::formats {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const ScaleForm kFp8{ScaleRule::kAmax, DType::kF32, 448.0};
const ScaleForm kW4{ScaleRule::kAmax, DType::kBf16, 7.0};
const ScaleForm kMxfp8{ScaleRule::kE8m0Floor, DType::kE8m0fnu, 448.0};
const ScaleForm kMxfp4{ScaleRule::kE8m0Floor, DType::kE8m0fnu, 6.0};
const ScaleForm kUe8m0{ScaleRule::kE8m0Ceil, DType::kE8m0fnu, 448.0};
const ScaleForm kNvfp4{ScaleRule::kNvfp4, DType::kE4m3fn, 6.0};
const ScaleForm kForms[] = {kFp8, kW4, kMxfp8, kMxfp4, kUe8m0, kNvfp4};

TEST(ScaleRule, AmaxIsDividedInFp32) {
  EXPECT_EQ(scale_from_amax(kFp8, 448.0), 1.0);
  EXPECT_EQ(scale_from_amax(kFp8, 3.0), static_cast<double>(3.0F / 448.0F));
  EXPECT_EQ(scale_from_amax(kFp8, 0.0), static_cast<double>(1e-10F / 448.0F));
  EXPECT_EQ(scale_from_amax(kW4, 3.0), round_to(DType::kBf16, 3.0F / 7.0F));
}

TEST(ScaleRule, TheMxRuleTakesTheExponentOfAmaxAlone) {
  EXPECT_EQ(scale_from_amax(kMxfp8, 256.0), 1.0);
  EXPECT_EQ(scale_from_amax(kMxfp8, 511.0), 1.0);
  EXPECT_EQ(scale_from_amax(kMxfp8, 512.0), 2.0);
  EXPECT_EQ(scale_from_amax(kMxfp8, std::nextafter(256.0, 0.0)), 0.5);
  EXPECT_EQ(scale_from_amax(kMxfp4, 7.9), 1.0);
  EXPECT_EQ(scale_from_amax(kMxfp4, 0x1p-149), 0x1p-127);
  EXPECT_EQ(scale_from_amax(kMxfp4, 0.0), 0x1p-127);
}

TEST(ScaleRule, TheCeilingIsTheNextPowerOfTwoUnlessItIsOne) {
  EXPECT_EQ(scale_from_amax(kUe8m0, 448.0), 1.0);
  EXPECT_EQ(scale_from_amax(kUe8m0, std::nextafterf(448.0F, 1e3F)), 2.0);
  EXPECT_EQ(scale_from_amax(kUe8m0, 449.0), 2.0);
  EXPECT_EQ(scale_from_amax(kUe8m0, 225.0), 1.0);
  EXPECT_EQ(scale_from_amax(kUe8m0, 0.0), 0x1p-42);
}

TEST(ScaleRule, Nvfp4ScalesStandUnderTheScaleOfTheTensor) {
  EXPECT_EQ(global_scale_from_amax(kNvfp4, 2688.0), 1.0);
  EXPECT_EQ(global_scale_from_amax(kNvfp4, 0.0), static_cast<double>(1e-10F / 2688.0F));
  EXPECT_EQ(global_scale_from_amax(kFp8, 3.0), 1.0);
  EXPECT_EQ(scale_from_amax(kNvfp4, 2688.0, 1.0), 448.0);
  EXPECT_EQ(scale_from_amax(kNvfp4, 5000.0, 1.0), 448.0);
  EXPECT_EQ(scale_from_amax(kNvfp4, 6.0, 0.5), 2.0);
  EXPECT_EQ(scale_from_amax(kNvfp4, 6.5, 1.0), 1.125);
  EXPECT_EQ(scale_from_amax(kNvfp4, 0.0, 1.0), 0x1p-9);
  EXPECT_TRUE(std::isnan(scale_from_amax(kNvfp4, 1.0, 0.0)));
  EXPECT_TRUE(std::isnan(scale_from_amax(kNvfp4, 1.0, kNan)));
}

TEST(ScaleRule, AGroupWithoutAMagnitudeHasNoScale) {
  for (const ScaleForm& form : kForms) {
    for (const double amax : {kNan, kInf, -1.0, 1e39}) {
      EXPECT_TRUE(std::isnan(scale_from_amax(form, amax))) << name_of(form.rule) << " " << amax;
    }
  }
  EXPECT_TRUE(std::isnan(global_scale_from_amax(kNvfp4, kInf)));
  EXPECT_TRUE(std::isnan(global_scale_from_amax(kNvfp4, kNan)));
  EXPECT_EQ(scale_from_amax({ScaleRule::kNone, DType::kF32, 1.0}, kNan), 1.0);
}

rc::Gen<double> any_magnitude() {
  return rc::gen::map(rc::gen::pair(rc::gen::inRange(0, 1 << 24), rc::gen::inRange(-149, 104)),
                      [](std::pair<int, int> m) { return std::ldexp(m.first, m.second); });
}

RC_GTEST_PROP(ScaleRule, GivesAPositiveNumberOfItsTypeInOrder, ()) {
  const ScaleForm form = *rc::gen::elementOf(std::vector<ScaleForm>(kForms, std::end(kForms)));
  double a = *any_magnitude();
  double b = *any_magnitude();
  if (a > b) std::swap(a, b);
  const double low = scale_from_amax(form, a);
  const double high = scale_from_amax(form, b);
  RC_CLASSIFY(low == high, "one scale");
  RC_ASSERT(low > 0.0 && low <= high);
  RC_ASSERT(round_to(form.scale, low) == low && round_to(form.scale, high) == high);
}

RC_GTEST_PROP(ScaleRule, PowersOfTwoBracketTheQuotient, ()) {
  const double amax = *any_magnitude();
  const double exact = scale_from_amax(kFp8, amax);
  const double up = scale_from_amax(kUe8m0, amax);
  RC_ASSERT(up >= exact && up / 2 < exact);
  RC_PRE(amax >= 0x1p-119);
  const double down = scale_from_amax(kMxfp8, amax);
  RC_ASSERT(amax / down >= 256.0 && amax / down < 512.0);
}

}  // namespace
}  // namespace plumbline::formats
