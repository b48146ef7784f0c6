#include "reference/bounds/profiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "reference/bounds/golden.h"

namespace plumbline::bounds {
namespace {

TEST(Profiles, EveryRowNamesItsProfileAndSaysWhereItComesFrom) {
  for (const ProfileRow& row : profile_table()) {
    EXPECT_FALSE(row.profile.name.empty());
    EXPECT_FALSE(row.note.empty());
    const bool measured_only = row.profile.accumulator == Accumulator::kHopperFp8Precise ||
                               row.profile.accumulator == Accumulator::kHopperFp8Fast;
    EXPECT_EQ(row.note.substr(0, 7) == "interim", measured_only) << row.device;
    EXPECT_EQ(row.profile.name.find("interim") != std::string::npos, measured_only);
  }
}

TEST(Profiles, KnownNamesHaveTheirRowAndOthersTryTheTightestFirst) {
  const auto flash = candidate_profiles("attention", DType::kBf16, "flash");
  ASSERT_EQ(flash.size(), 1U);
  EXPECT_EQ(flash[0].probability, Probability::kIo);
  const auto unknown = candidate_profiles("attention", DType::kF16, "somebody_new");
  ASSERT_GE(unknown.size(), 2U);
  EXPECT_EQ(unknown[0].probability, Probability::kFp32);
  EXPECT_EQ(candidate_profiles("gemm", DType::kBf16, "somebody_new")[0].accumulator,
            Accumulator::kFp32);
  EXPECT_TRUE(candidate_profiles("weather", DType::kBf16, "flash").empty());
}

TEST(Profiles, AnUnknownExpertLayerMayBeMoreAccurateThanEveryKnownOne) {
  const auto unknown = candidate_profiles("moe", DType::kBf16, "somebody_new");
  ASSERT_FALSE(unknown.empty());
  EXPECT_EQ(unknown[0].rounding, ExpertRounding::kOutput);
}

TEST(Profiles, QuantisedLayersAreFoundByTheTypeOfTheirCodes) {
  const auto int8 = candidate_profiles("moe", DType::kI8, "silu_fp32");
  ASSERT_EQ(int8.size(), 1U);
  EXPECT_EQ(int8[0].accumulator, Accumulator::kInt32);
  EXPECT_EQ(int8[0].quant.ties, IntegerTies::kAway);
  EXPECT_FALSE(int8[0].activation_rounded_before_product);
  const auto fp8 = candidate_profiles("moe", DType::kE4m3fn, "act_and_mul_triton");
  ASSERT_EQ(fp8.size(), 1U);
  EXPECT_EQ(fp8[0].quant.quotient, Quotient::kApproximateReciprocal);
  EXPECT_TRUE(fp8[0].activation_rounded_before_product);
}

bool tries(std::span<const Profile> profiles, Quotient quotient) {
  return std::any_of(profiles.begin(), profiles.end(), [quotient](const Profile& profile) {
    return profile.quant.quotient == quotient;
  });
}

TEST(Profiles, AnUnknownQuantisedLayerMayDivideOrMultiply) {
  for (const DType code : {DType::kI8, DType::kE4m3fn}) {
    const auto unknown = candidate_profiles("moe", code, "somebody_new");
    EXPECT_TRUE(tries(unknown, Quotient::kDivide));
    EXPECT_TRUE(tries(unknown, Quotient::kReciprocal));
  }
}

TEST(Profiles, IntegersAreNeverGivenARadius) {
  for (const Profile& profile : candidate_profiles("gemm", DType::kI8, "anything")) {
    EXPECT_EQ(profile.accumulator, Accumulator::kInt32);
  }
}

TEST(GoldenLimits, FollowHowTheValuesWereMade) {
  EXPECT_DOUBLE_EQ(golden::experts_limit("mixtral", -3), 3e-12);
  EXPECT_DOUBLE_EQ(golden::experts_limit("nemotron_h", 2), 2e-6);
  EXPECT_DOUBLE_EQ(golden::route_weight_limit(2.5), 2.5e-6);
  EXPECT_EQ(golden::attention_limit(true, 0), 0) << "rows that see nothing are exact zeros";
  EXPECT_LT(golden::attention_limit(false, 1), golden::attention_limit(true, 1));
}

}  // namespace
}  // namespace plumbline::bounds
