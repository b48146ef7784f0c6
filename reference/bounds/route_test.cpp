#include "reference/bounds/route.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "reference/bounds/emulate.h"
#include "reference/moe/route.h"
#include "reference/spec/status.h"

namespace plumbline::bounds {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

RouteProblem problem(Scoring scoring, std::int64_t e, std::int64_t k) {
  RouteProblem p;
  p.scoring = scoring;
  p.e = e;
  p.k = k;
  return p;
}

Matrix row(const std::vector<double>& values) {
  Matrix m(1, std::ssize(values));
  std::copy(values.begin(), values.end(), m.data());
  return m;
}

bool admits(const RouteExpected& expected, const std::vector<std::int32_t>& ids) {
  return !inadmissible(expected, 0, ids).has_value();
}

RC_GTEST_PROP(RouteBounds, AdmitTheReferencesOwnAnswer, ()) {
  RouteProblem p = problem(*rc::gen::element(Scoring::kNone, Scoring::kSoftmax, Scoring::kSigmoid,
                                             Scoring::kSqrtSoftplus),
                           16, *rc::gen::inRange(1, 5));
  p.t = 3;
  p.groups = *rc::gen::element(1, 2, 4, 8);
  p.kept_groups = std::min<std::int64_t>(p.groups, 4);
  p.group_score = *rc::gen::element(GroupScore::kTop2Sum, GroupScore::kMax);
  p.masked_is_zero = *rc::gen::arbitrary<bool>();
  p.has_bias = *rc::gen::arbitrary<bool>();
  p.renormalize = *rc::gen::arbitrary<bool>();
  p.softmax_after_topk = p.scoring == Scoring::kNone;
  p.scale = *rc::gen::element(1.0, 2.5);
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint32_t>());
  // Integers: many exact ties among scores and groups.
  const Matrix logits =
      emulate::draw(*rc::gen::element("gaussian", "integers"), p.t, p.e, DType::kF32, random);
  const Matrix bias = emulate::draw("gaussian", 1, p.e, DType::kF32, random) / 4;
  const std::span<const double> span(bias.data(), static_cast<std::size_t>(p.e));
  const moe::Routing routing = moe::route(p, logits, span);
  const RouteExpected expected = evaluate_route(p, logits, span);
  const Expected weights = expected_weights(expected, routing.ids);
  for (std::int64_t t = 0; t < p.t; ++t) {
    const std::span<const std::int32_t> ids(&routing.ids[static_cast<std::size_t>(t * p.k)],
                                            static_cast<std::size_t>(p.k));
    const auto reason = inadmissible(expected, t, ids);
    if (reason) RC_FAIL(*reason);
  }
  for (std::size_t n = 0; n < routing.weights.size(); ++n) {
    RC_ASSERT(std::abs(routing.weights[n] - weights.value[n]) <= weights.radius[n]);
    RC_ASSERT(std::abs(static_cast<float>(routing.weights[n]) - weights.value[n]) <=
              weights.radius[n]);
  }
}

TEST(RouteBounds, RejectAnExpertThatIsCertainlyBeaten) {
  const RouteExpected expected =
      evaluate_route(problem(Scoring::kSoftmax, 4, 2), row({1, 3, 2, 0}), {});
  EXPECT_TRUE(admits(expected, {1, 2}));
  EXPECT_TRUE(admits(expected, {2, 1})) << "order does not matter";
  EXPECT_FALSE(admits(expected, {1, 0}));
  EXPECT_FALSE(admits(expected, {1, 1}));
  EXPECT_FALSE(admits(expected, {1, 4}));
  EXPECT_FALSE(admits(expected, {1, -1}));
  EXPECT_FALSE(admits(expected, {1}));
}

TEST(RouteBounds, SettleTiesEitherWayAndNearTiesByTheErrorOfTheScore) {
  const RouteProblem p = problem(Scoring::kSigmoid, 3, 1);
  EXPECT_TRUE(admits(evaluate_route(p, row({1, 1, 0}), {}), {1}));
  EXPECT_TRUE(admits(evaluate_route(p, row({1, 1 + 0x1p-23, 0}), {}), {0}));
  EXPECT_FALSE(admits(evaluate_route(p, row({1, 1.0001, 0}), {}), {0}));
  const RouteProblem exact = problem(Scoring::kNone, 3, 1);
  EXPECT_FALSE(admits(evaluate_route(exact, row({1, 1 + 0x1p-23, 0}), {}), {0}))
      << "logits are compared as they are";
}

TEST(RouteBounds, KeepTheBestGroupsOnly) {
  RouteProblem p = problem(Scoring::kNone, 6, 2);
  p.groups = 3;
  p.kept_groups = 1;
  // Sums of two: 5, 6, 4. The single best expert sits in a group that is left out.
  const RouteExpected expected = evaluate_route(p, row({5, 0, 3, 3, 4, 0}), {});
  EXPECT_TRUE(admits(expected, {2, 3}));
  EXPECT_FALSE(admits(expected, {0, 4}));
  EXPECT_FALSE(admits(expected, {0, 1}));
  p.group_score = GroupScore::kMax;
  EXPECT_TRUE(admits(evaluate_route(p, row({5, 0, 3, 3, 4, 0}), {}), {0, 1}));
}

TEST(RouteBounds, GroupsThatTieMayBeKeptEitherWay) {
  RouteProblem p = problem(Scoring::kNone, 8, 2);
  p.groups = 4;
  p.kept_groups = 1;
  const RouteExpected expected = evaluate_route(p, row({1, 1, 1, 1, 1, 1, 0, 0}), {});
  EXPECT_TRUE(admits(expected, {0, 1}));
  EXPECT_TRUE(admits(expected, {4, 5}));
  EXPECT_FALSE(admits(expected, {0, 2})) << "from two groups, one is kept";
  EXPECT_FALSE(admits(expected, {6, 7}));
}

TEST(RouteBounds, MaskedGroupsCompeteAtZeroWhereTheySaySo) {
  RouteProblem p = problem(Scoring::kNone, 4, 2);
  p.groups = 2;
  p.kept_groups = 1;
  const Matrix logits = row({3, -2, -5, -6});
  EXPECT_TRUE(admits(evaluate_route(p, logits, {}), {0, 1}));
  EXPECT_FALSE(admits(evaluate_route(p, logits, {}), {0, 2}));
  p.masked_is_zero = true;
  EXPECT_TRUE(admits(evaluate_route(p, logits, {}), {0, 2}));
  EXPECT_FALSE(admits(evaluate_route(p, logits, {}), {0, 1}));
}

TEST(RouteBounds, ManyTiedGroupsEndInTime) {
  RouteProblem p = problem(Scoring::kSigmoid, 256, 8);
  p.groups = 32;
  p.kept_groups = 16;
  const RouteExpected expected = evaluate_route(p, Matrix::Zero(1, 256), {});
  EXPECT_TRUE(admits(expected, {0, 9, 18, 27, 36, 45, 54, 63}));
}

TEST(RouteBounds, WeightsFollowTheChoiceThatWasMade) {
  RouteProblem p = problem(Scoring::kSoftmax, 4, 2);
  p.renormalize = true;
  p.scale = 2.5;
  const RouteExpected expected = evaluate_route(p, row({1, 3, 2, 0}), {});
  const std::vector<std::int32_t> ids = {2, 1};
  const Expected weights = expected_weights(expected, ids);
  const double low = std::exp(2.0) / (std::exp(2.0) + std::exp(3.0)) * 2.5;
  EXPECT_NEAR(weights.value[0], low, 1e-12);
  EXPECT_NEAR(weights.value[0] + weights.value[1], 2.5, 1e-12);
  EXPECT_LT(weights.radius[0], 1e-4 * low);
  EXPECT_GT(weights.radius[0], 1e-8 * low);
}

TEST(RouteBounds, WeightsOfFp32RoutersLieInside) {
  std::mt19937_64 random(3);
  for (const bool renormalize : {false, true}) {
    RouteProblem p = problem(Scoring::kSoftmax, 32, 4);
    p.renormalize = renormalize;
    const Matrix logits = emulate::draw("heavy", 1, 32, DType::kF32, random);
    const moe::Routing routing = moe::route(p, logits, {});
    const Expected weights = expected_weights(evaluate_route(p, logits, {}), routing.ids);
    float largest = -HUGE_VALF;
    for (int j = 0; j < 32; ++j) largest = std::max(largest, static_cast<float>(logits(0, j)));
    float sum = 0;
    for (int j = 0; j < 32; ++j) sum += std::exp(static_cast<float>(logits(0, j)) - largest);
    float chosen = 0;
    std::vector<float> got;
    for (const std::int32_t id : routing.ids) {
      got.push_back(std::exp(static_cast<float>(logits(0, id)) - largest) / sum);
      chosen += got.back();
    }
    for (std::size_t n = 0; n < got.size(); ++n) {
      const float weight = renormalize ? got[n] / chosen : got[n];
      EXPECT_LE(std::abs(weight - weights.value[n]), weights.radius[n]);
      EXPECT_GT(std::abs(weight * (1 + 0x1p-9) - weights.value[n]), weights.radius[n])
          << "a weight rounded to bf16 is caught";
    }
  }
}

TEST(RouteBounds, RowsWithNanAskForIdsInRangeOnly) {
  RouteProblem p = problem(Scoring::kSoftmax, 3, 2);
  p.t = 2;
  Matrix logits(2, 3);
  logits << 1, std::nan(""), 2, 1, 2, -kInfinity;
  const RouteExpected expected = evaluate_route(p, logits, {});
  EXPECT_TRUE(expected.undefined_row(0));
  EXPECT_FALSE(expected.undefined_row(1)) << "an expert at −inf is simply never first";
  EXPECT_TRUE(admits(expected, {2, 2}));
  EXPECT_FALSE(admits(expected, {2, 3}));
  const std::vector<std::int32_t> ids = {0, 1, 1, 0};
  const Expected weights = expected_weights(expected, ids);
  EXPECT_TRUE(std::isnan(weights.value[0]));
  EXPECT_EQ(weights.radius[0], kInfinity);
  EXPECT_TRUE(std::isfinite(weights.value[2]));
}

TEST(RouteBounds, MissingTensorsAreNamed) {
  EXPECT_THROW(evaluate_route(problem(Scoring::kNone, 4, 1), Tensors{}), BadInput);
}

}  // namespace
}  // namespace plumbline::bounds
