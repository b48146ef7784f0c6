#include "reference/bounds/route.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "conformance/judge/judge.h"
#include "reference/formats/codec.h"
#include "reference/moe/route.h"

namespace plumbline::judge {
namespace {

/// One token over four experts, two chosen, weights as the reference gives them.
struct Router {
  RouteProblem problem;
  Matrix logits;

  explicit Router(const std::vector<double>& values) : logits(1, 4) {
    problem.e = 4;
    problem.k = 2;
    for (Eigen::Index n = 0; n < 4; ++n) logits(0, n) = values[static_cast<std::size_t>(n)];
  }

  Judgement judged(const std::vector<std::int32_t>& ids, double factor = 1.0) const {
    Tensor chosen = Tensor::zeros({DType::kI32, {1, 2}});
    for (std::size_t n = 0; n < 2; ++n) chosen.as<std::int32_t>()[n] = ids[n];
    std::vector<double> weights = moe::weights_given_choice(problem, logits, {}, ids);
    for (double& weight : weights) weight *= factor;
    const Tensor given = formats::encode({DType::kF32, {1, 2}}, weights);
    return route(problem, bounds::evaluate_route(problem, logits, {}), chosen, given);
  }
};

TEST(Route, TheLargestScoresInAnyOrderPass) {
  const Router router({1.0, 3.0, 2.0, 0.0});
  EXPECT_EQ(router.judged({1, 2}).verdict, Verdict::kPass);
  EXPECT_EQ(router.judged({2, 1}).verdict, Verdict::kPass);
  EXPECT_EQ(router.judged({2, 1}).lane, "route");
}

TEST(Route, ASmallerScoreFailsAndTheReasonNamesTheToken) {
  const Judgement judged = Router({1.0, 3.0, 2.0, 0.0}).judged({1, 0});
  EXPECT_EQ(judged.verdict, Verdict::kFail);
  EXPECT_NE(judged.reason.find("token 0 chose {1, 0}"), std::string::npos) << judged.reason;
}

TEST(Route, ATieMayFallEitherWay) {
  const Router router({1.0, 3.0, 1.0, 0.0});
  EXPECT_EQ(router.judged({1, 0}).verdict, Verdict::kPass);
  EXPECT_EQ(router.judged({1, 2}).verdict, Verdict::kPass);
  EXPECT_EQ(router.judged({1, 3}).verdict, Verdict::kFail);
}

TEST(Route, AnIdTwiceOrOutOfRangeFails) {
  const Router router({1.0, 3.0, 2.0, 0.0});
  for (const std::vector<std::int32_t>& ids :
       std::vector<std::vector<std::int32_t>>{{1, 1}, {1, 4}, {1, -1}}) {
    EXPECT_EQ(router.judged(ids).verdict, Verdict::kFail) << ids[1];
  }
}

TEST(Route, WeightsAreThoseOfTheChoiceThatWasMade) {
  const Router router({1.0, 3.0, 2.0, 0.0});
  EXPECT_EQ(router.judged({1, 2}, 1.0 + 0x1p-10).verdict, Verdict::kFail);
  EXPECT_EQ(router.judged({1, 2}, std::numeric_limits<double>::quiet_NaN()).verdict,
            Verdict::kFail);
}

TEST(Route, WhereALogitIsNanAnyChoiceAndWeightPass) {
  const Router router({1.0, std::nan(""), 2.0, 0.0});
  EXPECT_NE(router.judged({0, 3}).verdict, Verdict::kFail);
}

TEST(Route, IdsOfAnotherTypeOrShapeFail) {
  const Router router({1.0, 3.0, 2.0, 0.0});
  const Tensor ids = Tensor::zeros({DType::kI64, {1, 2}});
  const Tensor weights = Tensor::zeros({DType::kF32, {1, 2}});
  const auto expected = bounds::evaluate_route(router.problem, router.logits, {});
  EXPECT_EQ(route(router.problem, expected, ids, weights).verdict, Verdict::kFail);
}

}  // namespace
}  // namespace plumbline::judge
