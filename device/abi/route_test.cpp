#include <gtest/gtest.h>

#include "device/abi/call.h"

namespace plumbline::device {
namespace {

using test::call;
using test::f32_tensor;
using test::mixed;
using test::values_of;

std::vector<std::int32_t> ids_of(const Answer& answer) {
  const auto ids = answer.returned.at("topk_ids").as<std::int32_t>();
  return {ids.begin(), ids.end()};
}

RouteProblem problem(std::int64_t t, std::int64_t e, std::int64_t k) {
  RouteProblem p;
  p.t = t;
  p.e = e;
  p.k = k;
  p.scoring = Scoring::kNone;
  return p;
}

TEST(Route, AmongEqualsTheLowestIdComesFirstAndNanLast) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Tensors inputs = {{"router_logits", f32_tensor({2, 4}, {1, 2, 2, 1, nan, -3, nan, -5})}};
  const Answer answer = call(problem(2, 4, 3).to_problem(), inputs);
  ASSERT_EQ(answer.status, Status::kOk) << answer.message;
  EXPECT_EQ(ids_of(answer), (std::vector<std::int32_t>{1, 2, 0, 1, 3, 0}));
}

TEST(Route, TheBiasDecidesTheChoiceAndNotTheWeight) {
  RouteProblem p = problem(1, 4, 2);
  p.has_bias = true;
  p.renormalize = true;
  p.scale = 2.0;
  Tensors inputs = {{"router_logits", f32_tensor({1, 4}, {1, 2, 3, 4})},
                    {"correction_bias", f32_tensor({4}, {10, 0, 5, 0})}};
  const Answer answer = call(p.to_problem(), inputs);
  EXPECT_EQ(ids_of(answer), (std::vector<std::int32_t>{0, 2}));
  EXPECT_EQ(values_of(answer.returned.at("topk_weights")), (std::vector<float>{0.5F, 1.5F}));
}

TEST(Route, OnlyTheBestGroupsStay) {
  RouteProblem p = problem(1, 6, 2);
  p.groups = 3;
  p.kept_groups = 1;
  // Sums of two: 9, 10, 8; the best single expert stands in a group that is left out.
  Tensors inputs = {{"router_logits", f32_tensor({1, 6}, {9, 0, 5, 5, 4, 4})}};
  EXPECT_EQ(ids_of(call(p.to_problem(), inputs)), (std::vector<std::int32_t>{2, 3}));
  p.group_score = GroupScore::kMax;
  EXPECT_EQ(ids_of(call(p.to_problem(), inputs)), (std::vector<std::int32_t>{0, 1}));
}

TEST(Route, SoftmaxBeforeAndAfterAgreeOnceRenormalised) {
  RouteProblem p = problem(9, 33, 4);
  p.scoring = Scoring::kSoftmax;
  p.renormalize = true;
  Tensors inputs = {{"router_logits", f32_tensor({9, 33}, mixed(9 * 33, 7))}};
  const Answer before = call(p.to_problem(), inputs);
  EXPECT_EQ(before.returned, call(p.to_problem(), inputs, 32).returned);
  p.scoring = Scoring::kNone;
  p.renormalize = false;
  p.softmax_after_topk = true;
  const Answer after = call(p.to_problem(), inputs);
  EXPECT_EQ(ids_of(before), ids_of(after));
  const auto wanted = values_of(before.returned.at("topk_weights"));
  const auto got = values_of(after.returned.at("topk_weights"));
  for (std::size_t c = 0; c < wanted.size(); ++c) EXPECT_FLOAT_EQ(got[c], wanted[c]);
}

}  // namespace
}  // namespace plumbline::device
