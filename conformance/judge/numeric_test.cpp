#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "conformance/judge/guard.h"
#include "conformance/judge/judge.h"
#include "reference/formats/codec.h"

namespace plumbline::judge {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Expected expected_of(std::vector<std::int64_t> shape, std::vector<double> value, double radius) {
  Expected expected;
  expected.dtype = DType::kF32;
  expected.shape = std::move(shape);
  expected.radius.assign(value.size(), radius);
  expected.value = std::move(value);
  return expected;
}

Tensor tensor_of(const std::vector<std::int64_t>& shape, const std::vector<double>& values,
                 DType dtype = DType::kF32) {
  TensorSpec spec;
  spec.dtype = dtype;
  spec.shape = shape;
  return formats::encode(spec, values);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<double> ramp(std::size_t count) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(Numeric, AValueAtItsRadiusPassesAndOneBeyondFails) {
  const Expected expected = expected_of({1, 2}, {1.0, 2.0}, 0.25);
  EXPECT_EQ(numeric("out", expected, tensor_of({1, 2}, {1.25, 2.0})).verdict, Verdict::kPass);
  const Judgement beyond = numeric("out", expected, tensor_of({1, 2}, {1.0, 2.5}));
  EXPECT_EQ(beyond.verdict, Verdict::kFail);
  EXPECT_EQ(beyond.margin, 2.0);
  EXPECT_EQ(beyond.lane, "W");
}

TEST(Numeric, ANanWhereANumberIsExpectedFailsUnderAnyRadius) {
  for (const double radius : {0.0, 1.0, 1e30, kInf}) {
    const Expected expected = expected_of({1, 1}, {1.0}, radius);
    EXPECT_EQ(numeric("out", expected, tensor_of({1, 1}, {kNan})).verdict, Verdict::kFail);
  }
}

TEST(Numeric, AnExpectedNanIsMetByNanOnly) {
  const Expected expected = expected_of({1, 2}, {kNan, 1.0}, 0.5);
  EXPECT_EQ(numeric("out", expected, tensor_of({1, 2}, {kNan, 1.0})).verdict, Verdict::kPass);
  EXPECT_EQ(numeric("out", expected, tensor_of({1, 2}, {1.0, 1.0})).verdict, Verdict::kFail);
}

TEST(Numeric, AnExpectedInfinityIsMetByThatInfinityOnly) {
  const Expected expected = expected_of({1, 2}, {-kInf, 1.0}, 0.5);
  EXPECT_EQ(numeric("lse", expected, tensor_of({1, 2}, {-kInf, 1.0})).verdict, Verdict::kPass);
  for (const double wrong : {kInf, -1e30, kNan}) {
    EXPECT_EQ(numeric("lse", expected, tensor_of({1, 2}, {wrong, 1.0})).verdict, Verdict::kFail);
  }
}

TEST(Numeric, AnInfinityIsNoFailureWhereNoRadiusIsFinite) {
  Expected expected = expected_of({1, 2}, {65504.0, 1.0}, 0.125);
  expected.radius[0] = kInf;
  EXPECT_EQ(numeric("out", expected, tensor_of({1, 2}, {kInf, 1.0})).margin, 0.0);
  EXPECT_EQ(numeric("out", expected, tensor_of({1, 2}, {1.0, kInf})).verdict, Verdict::kFail);
}

TEST(Numeric, ANanRadiusNeverPasses) {
  const Expected expected = expected_of({1, 2}, {1.0, 1.0}, kNan);
  EXPECT_EQ(numeric("out", expected, tensor_of({1, 2}, {1.0, 1.5})).verdict, Verdict::kFail);
}

TEST(Numeric, TheLaneIsBitwiseWhereNoSecondCodeIsAdmissible) {
  Expected expected = expected_of({1, 2}, {1.0, 2.0}, 0.0);
  const Tensor got = tensor_of({1, 2}, {1.0, 2.0});
  EXPECT_EQ(numeric("out", expected, got).lane, "bitwise");
  expected.radius[1] = 1e-9;
  EXPECT_EQ(numeric("out", expected, got).lane, "bitwise");
  expected.radius[1] = 1e-6;
  EXPECT_EQ(numeric("out", expected, got).lane, "W");
}

TEST(Numeric, AnyDifferenceUnderRadiusZeroFailsWithInfiniteMargin) {
  const Expected expected = expected_of({1, 2}, {1.0, 2.0}, 0.0);
  const Judgement wrong = numeric("out", expected, tensor_of({1, 2}, {1.0, 2.0 + 0x1p-22}));
  EXPECT_EQ(wrong.verdict, Verdict::kFail);
  EXPECT_EQ(wrong.margin, kInf);
}

TEST(Numeric, WithoutAFiniteRadiusAPassIsUntrusted) {
  const Expected expected = expected_of({1, 2}, {1.0, 2.0}, kInf);
  const Judgement judged = numeric("out", expected, tensor_of({1, 2}, {9.0, 2.0}));
  EXPECT_EQ(judged.verdict, Verdict::kUntrusted);
  EXPECT_EQ(judged.compared, 0);
}

TEST(Numeric, MoreThanFivePercentLooseRadiiAreUntrustedAndFivePercentAreNot) {
  Expected expected = expected_of({1, 100}, std::vector<double>(100, 1.0), 0.1);
  std::fill_n(expected.radius.begin(), 5, 1.5);
  const Tensor got = tensor_of({1, 100}, std::vector<double>(100, 1.0));
  EXPECT_EQ(numeric("out", expected, got).verdict, Verdict::kPass);
  expected.radius[5] = 1.5;
  EXPECT_EQ(numeric("out", expected, got).verdict, Verdict::kUntrusted);
}

TEST(Numeric, AnOutputThatTheProblemLeavesEmptyPasses) {
  const Judgement judged = numeric("out", expected_of({0, 64}, {}, 0.0), tensor_of({0, 64}, {}));
  EXPECT_EQ(judged.verdict, Verdict::kPass);
  EXPECT_TRUE(contains(judged.reason, "empty by the problem"));
}

TEST(Numeric, AnotherShapeOrTypeFailsAndNamesBoth) {
  const Expected expected = expected_of({1, 2}, {1.0, 2.0}, 0.5);
  const Judgement shape = numeric("out", expected, tensor_of({2, 1}, {1.0, 2.0}));
  EXPECT_EQ(shape.verdict, Verdict::kFail);
  EXPECT_TRUE(contains(shape.reason, "out is f32 [2, 1], expected f32 [1, 2]")) << shape.reason;
  const Tensor other = tensor_of({1, 2}, {1.0, 2.0}, DType::kBf16);
  EXPECT_EQ(numeric("out", expected, other).verdict, Verdict::kFail);
}

TEST(Numeric, TheReasonNamesPlaceNumbersUlpAndHowMany) {
  Expected expected = expected_of({3, 4}, ramp(12), 0.5);
  expected.dtype = DType::kBf16;
  std::vector<double> values = ramp(12);
  for (std::size_t i = 4; i < 8; ++i) values[i] += 1.0;
  const Judgement judged = numeric("out", expected, tensor_of({3, 4}, values, DType::kBf16));
  EXPECT_TRUE(contains(judged.reason, "out[1, 0] is 6, expected 5 ± 0.5 (+32 ulp of bf16, 2 of"))
      << judged.reason;
  EXPECT_TRUE(contains(judged.reason, "4 of 12 elements of out are outside, all in token 1"))
      << judged.reason;
}

TEST(Numeric, AnUnwrittenOutputIsCalledUnwritten) {
  TensorSpec spec;
  spec.shape = {1, 2};
  GuardedTensors outputs({{"out", spec}}, Edge::kEnd);
  const Expected expected = expected_of({1, 2}, {1.0, 2.0}, 0.5);
  const Judgement judged = numeric("out", expected, outputs.copy("out"));
  EXPECT_EQ(judged.verdict, Verdict::kFail);
  EXPECT_TRUE(contains(judged.reason, "2 were never written")) << judged.reason;
}

TEST(Numeric, TheWorstElementsComeFirstAndAreEightAtMost) {
  std::vector<double> values = ramp(20);
  for (std::size_t i = 0; i < 20; ++i) values[i] += 0.001 * static_cast<double>(i);
  const Judgement judged =
      numeric("out", expected_of({1, 20}, ramp(20), 0.5), tensor_of({1, 20}, values));
  ASSERT_EQ(judged.worst.size(), kWorstElements);
  EXPECT_EQ(judged.worst.front().position, (std::vector<std::int64_t>{0, 19}));
  EXPECT_GE(judged.worst[0].margin, judged.worst[7].margin);
}

TEST(Numeric, TheUlpHistogramBinsAreHalfOpenTowardsZero) {
  Expected expected = expected_of({1, 8}, std::vector<double>(8, 1.0), 1.0);
  const double ulp = 0x1p-23;
  const std::vector<double> got = {1.0,           1.0 + ulp,     1.0 - ulp,     1.0 + 2 * ulp,
                                   1.0 + 8 * ulp, 1.0 - 9 * ulp, 1.0 - ulp / 2, 1.0 + 3 * ulp};
  const Judgement judged = numeric("out", expected, tensor_of({1, 8}, got));
  const std::array<std::int64_t, kUlpBins> histogram = {1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 2, 0, 1, 0};
  EXPECT_EQ(judged.sketch.ulp_histogram, histogram);
}

TEST(Numeric, EveryElementIsInOneBinOfTheHistogram) {
  Expected expected = expected_of({1, 4}, {1.0, kNan, kInf, 2.0}, 1.0);
  const Judgement judged = numeric("out", expected, tensor_of({1, 4}, {kNan, kNan, kInf, 2.0}));
  const auto& bins = judged.sketch.ulp_histogram;
  EXPECT_EQ(std::accumulate(bins.begin(), bins.end(), std::int64_t{0}), 4);
  EXPECT_EQ(bins.back(), 1);
}

TEST(Numeric, MarginQuantilesRiseFromTheLeastToTheLargest) {
  std::vector<double> values(101, 1.0);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += 0.01 * static_cast<double>(i) * 0.25;
  const Judgement judged = numeric("out", expected_of({1, 101}, std::vector<double>(101, 1.0), 0.5),
                                   tensor_of({1, 101}, values));
  const auto& q = judged.sketch.margin_quantiles;
  EXPECT_EQ(q.front(), 0.0);
  EXPECT_NEAR(q[3], 0.25, 1e-4);
  EXPECT_EQ(q.back(), judged.margin);
  EXPECT_TRUE(std::is_sorted(q.begin(), q.end()));
}

TEST(Numeric, ATokensMarginCountsForEachOfItsExperts) {
  const Expected expected = expected_of({2, 1}, {1.0, 1.0}, 0.5);
  const Groups groups{"expert", 0, {{0, 2}, {1}}};
  const Judgement judged = numeric("out", expected, tensor_of({2, 1}, {1.25, 1.0}), groups);
  EXPECT_EQ(judged.sketch.group, "expert");
  EXPECT_EQ(judged.sketch.group_maxima, (std::vector<double>{0.5, 0.0, 0.5}));
}

TEST(Numeric, AttentionOutputsKeepAMaximumAHead) {
  const Expected expected = expected_of({1, 2, 1}, {1.0, 1.0}, 0.5);
  const Judgement judged = numeric("out", expected, tensor_of({1, 2, 1}, {1.0, 1.125}));
  EXPECT_EQ(judged.sketch.group, "head");
  EXPECT_EQ(judged.sketch.group_maxima, (std::vector<double>{0.0, 0.25}));
}

TEST(Numeric, ExpectedWithoutAValueForEachElementIsOurOwnMistake) {
  Expected expected = expected_of({1, 2}, {1.0}, 0.5);
  EXPECT_THROW(numeric("out", expected, tensor_of({1, 2}, {1.0, 2.0})), ContractViolation);
}

std::string pattern(std::vector<std::int64_t> indices, std::vector<std::int64_t> shape) {
  const auto names = axis_names("out", shape.size());
  return pattern_of(indices, shape, names);
}

TEST(Pattern, SeesOneTokenTailsAndStrides) {
  EXPECT_EQ(pattern({4, 5}, {3, 4}), ", all in token 1, all in elements 0 to 1");
  EXPECT_EQ(pattern({3}, {3, 4}), "");
  EXPECT_EQ(pattern({68, 69, 138, 139}, {2, 70}),
            ", all in the last partial tile of elements (64 to 69, tile 16)");
  EXPECT_EQ(pattern({0, 2, 4}, {1, 6, 1}), ", every 2nd head from 0");
  EXPECT_EQ(pattern({0, 5, 7, 12}, {4, 4}), "");
}

TEST(SameBits, ASignOfZeroIsADifferenceAndANanPayloadIsNot) {
  const Tensor zero = tensor_of({1, 1}, {0.0});
  const Tensor minus = tensor_of({1, 1}, {-0.0});
  EXPECT_EQ(same_bits("out", zero, zero, "relation:x").verdict, Verdict::kPass);
  EXPECT_EQ(same_bits("out", zero, minus, "relation:x").verdict, Verdict::kFail);
  Tensor nan = tensor_of({1, 1}, {kNan});
  Tensor payload = nan;
  payload.data[0] = std::byte{1};
  EXPECT_EQ(same_bits("out", nan, payload, "relation:x").verdict, Verdict::kPass);
}

TEST(WorstOf, TheGravestVerdictGivesReasonAndLane) {
  Judgement pass = verdict(Verdict::kPass, "W", "fine");
  pass.margin = 0.5;
  const Judgement fail = verdict(Verdict::kFail, "guard", "byte 3 behind its end");
  const Judgement untrusted = verdict(Verdict::kUntrusted, "W", "loose");
  const std::vector<Judgement> all = {pass, untrusted, fail};
  const Judgement worst = worst_of(all);
  EXPECT_EQ(worst.verdict, Verdict::kFail);
  EXPECT_EQ(worst.lane, "guard");
  EXPECT_EQ(worst.margin, 0.5);
  EXPECT_EQ(worst_of(std::vector<Judgement>{untrusted, pass}).verdict, Verdict::kUntrusted);
}

TEST(WorstOf, NothingJudgedIsUntrusted) { EXPECT_EQ(worst_of({}).verdict, Verdict::kUntrusted); }

TEST(WorstOf, EveryFailingVerdictOutweighsEveryPassingOne) {
  for (const VerdictInfo& bad : all_verdicts()) {
    for (const VerdictInfo& good : all_verdicts()) {
      if (bad.exit == 0 || good.exit != 0) continue;
      const std::vector<Judgement> both = {verdict(good.verdict, "", ""),
                                           verdict(bad.verdict, "", "")};
      EXPECT_EQ(worst_of(both).verdict, bad.verdict) << bad.name << " and " << good.name;
    }
  }
}

RC_GTEST_PROP(Numeric, AgreesWithTheDefinitionOfTheRadius, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(1, 40);
  Expected expected = expected_of({1, static_cast<std::int64_t>(count)}, {}, 0.0);
  std::vector<double> got(count);
  bool inside = true;
  for (std::size_t i = 0; i < count; ++i) {
    expected.value.push_back(*rc::gen::inRange(-64, 65));
    expected.radius.push_back(0.125 * *rc::gen::inRange(0, 8));
    const int steps = *rc::gen::weightedElement<int>({{30, 0}, {30, 1}, {1, 8}, {1, -8}});
    got[i] = expected.value[i] + (steps == 1 ? -expected.radius[i] : 0.125 * steps);
    inside = inside && std::abs(got[i] - expected.value[i]) <= expected.radius[i];
  }
  RC_CLASSIFY(inside, "inside");
  const Judgement judged = numeric("out", expected, tensor_of(expected.shape, got));
  RC_ASSERT((judged.verdict == Verdict::kFail) == !inside);
  RC_ASSERT((judged.margin <= 1.0) == inside);
}

/// Expected ones with a rigorous radius of 0.5 and a calibrated one of 0.25 = 0.05 + 8·0.025.
Expected with_calibrated(std::size_t n) {
  Expected expected;
  expected.dtype = DType::kF32;
  expected.shape = {1, static_cast<std::int64_t>(n)};
  expected.value.assign(n, 1.0);
  expected.radius.assign(n, 0.5);
  Calibrated s;
  s.value.assign(n, 1.0);
  s.radius.assign(n, 0.25);
  s.fixed.assign(n, 0.05);
  s.sigma.assign(n, 0.025);
  s.variance.assign(n, 1e-4);
  expected.calibrated = s;
  return expected;
}

Judgement judge_one_at(double got) {
  std::vector<double> values(4, 1.0);
  values[2] = got;
  return numeric("out", with_calibrated(4), formats::encode({DType::kF32, {1, 4}}, values));
}

TEST(CalibratedLane, PassesInsideItsRadiusAndStatesTheImpliedLambda) {
  const Judgement judged = judge_one_at(1.125);
  EXPECT_EQ(judged.verdict, Verdict::kPass);
  EXPECT_EQ(judged.lane, "S");
  EXPECT_DOUBLE_EQ(judged.margin, 0.5);
  EXPECT_NE(judged.reason.find("implied lambda 3 of 8"), std::string::npos) << judged.reason;
}

TEST(CalibratedLane, IsSuspiciousOutsideItWhereTheRigorousOneHolds) {
  const Judgement judged = judge_one_at(1.375);
  EXPECT_EQ(judged.verdict, Verdict::kSuspicious);
  EXPECT_EQ(judged.lane, "S");
  EXPECT_NE(judged.reason.find("within the rigorous one"), std::string::npos) << judged.reason;
}

TEST(CalibratedLane, IsCountedAloneWhereTheRigorousOneFailsToo) {
  std::vector<double> values(4, 1.0);
  const auto alone = [&] {
    return calibrated_alone("out", with_calibrated(4),
                            formats::encode({DType::kF32, {1, 4}}, values));
  };
  EXPECT_EQ(alone()->verdict, Verdict::kPass);
  values[1] = 1.625;
  EXPECT_EQ(alone()->verdict, Verdict::kSuspicious);
  EXPECT_EQ(alone()->elements, 0) << "the rigorous judgement counts them";
  Expected without = with_calibrated(4);
  without.calibrated.reset();
  EXPECT_FALSE(calibrated_alone("out", without, formats::encode({DType::kF32, {1, 4}}, values)));
}

TEST(CalibratedLane, LeavesWhatIsWrongToTheRigorousLane) {
  for (const double got : {1.625, std::numeric_limits<double>::quiet_NaN()}) {
    const Judgement judged = judge_one_at(got);
    EXPECT_EQ(judged.verdict, Verdict::kFail);
    EXPECT_EQ(judged.lane, "W");
  }
}

}  // namespace
}  // namespace plumbline::judge
