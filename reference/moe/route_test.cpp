#include "reference/moe/route.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "reference/moe/permutation_gen.h"
#include "reference/ops/activation.h"
#include "reference/spec/status.h"

namespace plumbline::moe {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
using Ids = std::vector<std::int32_t>;

Matrix row(std::vector<double> logits) {
  return ops::to_matrix(logits, 1, static_cast<std::int64_t>(logits.size()));
}

RouteProblem plain(std::int64_t e, std::int64_t k) {
  RouteProblem problem;
  problem.scoring = Scoring::kNone;
  problem.e = e;
  problem.k = k;
  return problem;
}

RouteProblem grouped(std::int64_t e, std::int64_t k, std::int64_t groups, std::int64_t kept) {
  RouteProblem problem = plain(e, k);
  problem.groups = groups;
  problem.kept_groups = kept;
  return problem;
}

TEST(Route, TakesTheLargestAndOfEqualsTheLowestId) {
  EXPECT_EQ(route(plain(5, 3), row({1, 3, 2, 3, 2}), {}).ids, (Ids{1, 3, 2}));
  EXPECT_EQ(route(plain(4, 4), row({7, 7, 7, 7}), {}).ids, (Ids{0, 1, 2, 3}));
}

TEST(Route, PutsNanLastAndKeepsItsOrder) {
  EXPECT_EQ(route(plain(5, 5), row({kNan, -kInf, kNan, 1, 0}), {}).ids, (Ids{3, 4, 1, 0, 2}));
  RouteProblem problem = grouped(8, 2, 4, 1);
  for (const Scoring scoring : {Scoring::kNone, Scoring::kSoftmax, Scoring::kSigmoid}) {
    problem.scoring = scoring;
    const Routing routing = route(problem, Matrix::Constant(1, 8, kNan), {});
    EXPECT_EQ(std::set<std::int32_t>(routing.ids.begin(), routing.ids.end()).size(), 2U);
  }
}

TEST(Route, ScoresBeforeTheChoice) {
  const double x = 0.75;
  EXPECT_EQ(score(Scoring::kNone, row({x}))(0, 0), x);
  EXPECT_EQ(score(Scoring::kSigmoid, row({x}))(0, 0), ops::sigmoid(x));
  EXPECT_EQ(score(Scoring::kSqrtSoftplus, row({x}))(0, 0), std::sqrt(ops::softplus(x)));
  EXPECT_EQ(score(Scoring::kSoftmax, row({x, x, x, x})), row({0.25, 0.25, 0.25, 0.25}));
}

TEST(Route, UsesTheCorrectionBiasForTheChoiceOnly) {
  RouteProblem problem = plain(3, 1);
  const std::vector<double> bias = {0, 0, 10};
  EXPECT_EQ(route(problem, row({3, 2, 1}), bias).ids, Ids{0});
  problem.has_bias = true;
  const Routing routing = route(problem, row({3, 2, 1}), bias);
  EXPECT_EQ(routing.ids, Ids{2});
  EXPECT_EQ(routing.weights, std::vector<double>{1});
  EXPECT_THROW(route(problem, row({3, 2, 1}), {}), ContractViolation);
}

TEST(Route, ChoosesGroupsByTheSumOfTheirTwoBestOrByTheBest) {
  const Matrix logits = row({9, 0, 0, 5, 5, 0});
  RouteProblem problem = grouped(6, 2, 2, 1);
  EXPECT_EQ(route(problem, logits, {}).ids, (Ids{3, 4}));
  problem.group_score = GroupScore::kMax;
  EXPECT_EQ(route(problem, logits, {}).ids, (Ids{0, 1}));
}

TEST(Route, MaskedGroupsCompeteOnlyWhereTheyAreMaskedWithZero) {
  const Matrix logits = row({-1, -2, -3, -4});
  RouteProblem problem = grouped(4, 2, 2, 1);
  EXPECT_EQ(route(problem, logits, {}).ids, (Ids{0, 1}));
  EXPECT_EQ(route(problem, logits, {}).choice, row({-1, -2, -kInf, -kInf}));
  problem.masked_is_zero = true;
  EXPECT_EQ(route(problem, logits, {}).ids, (Ids{2, 3}));
  EXPECT_EQ(route(problem, logits, {}).weights, (std::vector<double>{-3, -4}));
}

TEST(Route, RenormalisesWithEpsilonAndScalesOnce) {
  RouteProblem problem = plain(3, 2);
  problem.renormalize = true;
  problem.scale = 8.0;
  EXPECT_EQ(route(problem, row({1, 3, 0}), {}).weights, (std::vector<double>{6, 2}));
  problem.renorm_epsilon = 12.0;
  EXPECT_EQ(route(problem, row({1, 3, 0}), {}).weights, (std::vector<double>{1.5, 0.5}));
}

TEST(Route, TakesSoftmaxOverTheChosenOnlyWhenItComesAfter) {
  RouteProblem problem = plain(4, 2);
  problem.softmax_after_topk = true;
  EXPECT_EQ(route(problem, row({5, 5, 1, 2}), {}).weights, (std::vector<double>{0.5, 0.5}));
}

TEST(Route, GivesNoWeightToNoExpert) {
  RouteProblem problem = plain(4, 3);
  problem.renormalize = true;
  const Ids ids = {2, -1, 4};
  EXPECT_EQ(weights_given_choice(problem, row({1, 2, 3, 4}), {}, ids),
            (std::vector<double>{1, 0, 0}));
}

TEST(Route, OfNoTokensIsEmpty) {
  RouteProblem problem = plain(4, 2);
  problem.t = 0;
  EXPECT_TRUE(route(problem, Matrix(0, 4), {}).ids.empty());
}

/// A problem of any mode that is legal, with at most 5 tokens and 24 experts.
rc::Gen<RouteProblem> any_problem() {
  return rc::gen::exec([] {
    RouteProblem p;
    p.scoring = *rc::gen::element(Scoring::kNone, Scoring::kSoftmax, Scoring::kSigmoid,
                                  Scoring::kSqrtSoftplus);
    p.groups = *rc::gen::inRange(1, 5);
    p.e = p.groups * *rc::gen::inRange(2, 7);
    p.kept_groups = *rc::gen::inRange<std::int64_t>(1, p.groups + 1);
    p.k = *rc::gen::inRange<std::int64_t>(1, p.e / p.groups * p.kept_groups + 1);
    p.t = *rc::gen::inRange(0, 6);
    p.softmax_after_topk = *rc::gen::arbitrary<bool>();
    p.has_bias = *rc::gen::arbitrary<bool>();
    p.renormalize = *rc::gen::arbitrary<bool>();
    p.group_score = *rc::gen::element(GroupScore::kTop2Sum, GroupScore::kMax);
    p.masked_is_zero = *rc::gen::arbitrary<bool>();
    return p;
  });
}

/// Few distinct values, so that ties are common, and now and then a special one.
rc::Gen<std::vector<double>> any_values(std::int64_t count) {
  const auto ordinary = rc::gen::map(rc::gen::inRange(-8, 9), [](int n) { return n / 4.0; });
  const auto special = rc::gen::elementOf(std::vector<double>{kInf, -kInf, kNan, 1e4, -1e4});
  return rc::gen::container<std::vector<double>>(
      static_cast<std::size_t>(count),
      rc::gen::weightedOneOf<double>({{30, ordinary}, {1, special}}));
}

RC_GTEST_PROP(RouteLaws, ChoosesDistinctExpertsThatExist, ()) {
  const RouteProblem p = *any_problem();
  const Matrix logits = ops::to_matrix(*any_values(p.t * p.e), p.t, p.e);
  const Routing routing = route(p, logits, *any_values(p.e));
  RC_ASSERT(std::ssize(routing.ids) == p.t * p.k);
  RC_ASSERT(routing.weights.size() == routing.ids.size());
  for (std::int64_t t = 0; t < p.t; ++t) {
    const auto first = routing.ids.begin() + t * p.k;
    const std::set<std::int32_t> ids(first, first + p.k);
    RC_ASSERT(std::ssize(ids) == p.k);
    RC_ASSERT(*ids.begin() >= 0 && *ids.rbegin() < p.e);
  }
}

RC_GTEST_PROP(RouteLaws, NoExpertLeftOutIsBetterThanOneChosen, ()) {
  const RouteProblem p = *any_problem();
  const Matrix logits = ops::to_matrix(*any_values(p.t * p.e), p.t, p.e);
  const Routing routing = route(p, logits, *any_values(p.e));
  for (std::int64_t t = 0; t < p.t; ++t) {
    const auto first = routing.ids.begin() + t * p.k;
    for (std::int32_t id = 0; id < p.e; ++id) {
      if (std::find(first, first + p.k, id) != first + p.k) continue;
      RC_ASSERT(!(routing.choice(t, id) > routing.choice(t, *(first + p.k - 1))));
    }
  }
}

RC_GTEST_PROP(RouteLaws, TokensDoNotKnowOfEachOther, ()) {
  RouteProblem p = *any_problem();
  const Matrix logits = ops::to_matrix(*any_values(p.t * p.e), p.t, p.e);
  const std::vector<double> bias = *any_values(p.e);
  const Routing together = route(p, logits, bias);
  const std::int64_t tokens = std::exchange(p.t, 1);
  for (std::int64_t t = 0; t < tokens; ++t) {
    const Routing alone = route(p, logits.row(t), bias);
    RC_ASSERT(std::equal(alone.ids.begin(), alone.ids.end(), together.ids.begin() + t * p.k));
  }
}

RC_GTEST_PROP(RouteLaws, RelabellingTheExpertsRelabelsTheChoice, ()) {
  const auto e = *rc::gen::inRange<std::int64_t>(2, 20);
  const RouteProblem p = plain(e, *rc::gen::inRange<std::int64_t>(1, e));
  // Distinct logits: among equals the id decides, and relabelling would show.
  const Ids order = *any_permutation(e);
  const Ids relabel = *any_permutation(e);
  Matrix logits(1, e);
  Matrix relabelled(1, e);
  for (std::size_t n = 0; n < order.size(); ++n) {
    logits(0, static_cast<Eigen::Index>(n)) = order[n];
    relabelled(0, relabel[n]) = order[n];
  }
  Ids ids = route(p, logits, {}).ids;
  for (std::int32_t& id : ids) id = relabel[static_cast<std::size_t>(id)];
  RC_ASSERT(route(p, relabelled, {}).ids == ids);
}

}  // namespace
}  // namespace plumbline::moe
