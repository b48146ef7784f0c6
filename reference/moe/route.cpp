#include "reference/moe/route.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>

#include "reference/ops/activation.h"
#include "reference/ops/softmax.h"
#include "reference/spec/status.h"

namespace plumbline::moe {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

void require(bool holds, const char* rule, const RouteProblem& problem) {
  if (!holds) throw ContractViolation(std::string(rule) + ": " + problem.to_problem().text());
}

void check(const RouteProblem& problem, const Matrix& logits) {
  require(logits.rows() == problem.t && logits.cols() == problem.e, "logits are [t, e]", problem);
  require(problem.groups > 0 && problem.e % problem.groups == 0, "e % g == 0", problem);
  require(problem.kept_groups > 0 && problem.kept_groups <= problem.groups, "1 <= kg <= g",
          problem);
  require(problem.k >= 0 && problem.k <= problem.e, "k <= e", problem);
}

/// Positions of the `count` best values: larger first, NaN last, among equals the lower position.
std::vector<std::int32_t> best(std::span<const double> values, std::int64_t count) {
  std::vector<std::int32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  const auto before = [&](std::int32_t a, std::int32_t b) {
    const double x = values[static_cast<std::size_t>(a)];
    const double y = values[static_cast<std::size_t>(b)];
    if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) || (std::isnan(y) && a < b);
    return x > y || (x == y && a < b);
  };
  std::partial_sort(order.begin(), order.begin() + count, order.end(), before);
  order.resize(static_cast<std::size_t>(count));
  return order;
}

double score_group(GroupScore rule, std::span<const double> members) {
  const std::int64_t count =
      std::min<std::int64_t>(rule == GroupScore::kMax ? 1 : 2, std::ssize(members));
  double sum = 0.0;
  for (const std::int32_t at : best(members, count)) sum += members[static_cast<std::size_t>(at)];
  return sum;
}

/// Masks the experts of all groups but the best.
void mask_groups(const RouteProblem& problem, std::span<double> choice) {
  const auto size = static_cast<std::size_t>(problem.e / problem.groups);
  std::vector<double> group_scores;
  for (std::size_t first = 0; first < choice.size(); first += size) {
    group_scores.push_back(score_group(problem.group_score, choice.subspan(first, size)));
  }
  std::vector<bool> kept(group_scores.size(), false);
  for (const std::int32_t group : best(group_scores, problem.kept_groups)) {
    kept[static_cast<std::size_t>(group)] = true;
  }
  const double masked = problem.masked_is_zero ? 0.0 : kMinusInfinity;
  for (std::size_t n = 0; n < choice.size(); ++n) {
    if (!kept[n / size]) choice[n] = masked;
  }
}

/// Weights of one token from the scores of its chosen experts.
void weigh(const RouteProblem& problem, std::vector<double>& weights) {
  if (problem.softmax_after_topk) weights = ops::softmax(weights);
  double factor = problem.scale;
  if (problem.renormalize) {
    factor /= std::accumulate(weights.begin(), weights.end(), problem.renorm_epsilon);
  }
  for (double& weight : weights) weight *= factor;
}

std::vector<double> weights_from_scores(const RouteProblem& problem, const Matrix& scores,
                                        std::span<const std::int32_t> ids) {
  require(std::ssize(ids) == problem.t * problem.k, "ids are t * k", problem);
  std::vector<double> all(ids.size(), 0.0);
  for (std::int64_t t = 0; t < problem.t; ++t) {
    std::vector<double> weights;
    std::vector<std::size_t> slots;
    for (auto n = static_cast<std::size_t>(t * problem.k); std::ssize(slots) < problem.k; ++n) {
      slots.push_back(n);
    }
    std::erase_if(slots, [&](std::size_t n) { return ids[n] < 0 || ids[n] >= problem.e; });
    for (const std::size_t n : slots) weights.push_back(scores(t, ids[n]));
    weigh(problem, weights);
    for (std::size_t j = 0; j < slots.size(); ++j) all[slots[j]] = weights[j];
  }
  return all;
}

}  // namespace

Matrix score(Scoring scoring, const Matrix& logits) {
  Matrix scores = logits;
  switch (scoring) {
    case Scoring::kNone:
      break;
    case Scoring::kSoftmax:
      for (auto row : scores.rowwise()) {
        const auto size = static_cast<std::size_t>(row.size());
        const std::vector<double> p = ops::softmax({row.data(), size});
        std::copy(p.begin(), p.end(), row.data());
      }
      break;
    case Scoring::kSigmoid:
      scores = logits.unaryExpr(&ops::sigmoid);
      break;
    case Scoring::kSqrtSoftplus:
      scores = logits.unaryExpr([](double x) { return std::sqrt(ops::softplus(x)); });
      break;
  }
  return scores;
}

Routing route(const RouteProblem& problem, const Matrix& logits,
              std::span<const double> correction_bias) {
  check(problem, logits);
  Routing routing;
  routing.scores = score(problem.scoring, logits);
  routing.choice = routing.scores;
  if (problem.has_bias) {
    require(std::ssize(correction_bias) == problem.e, "correction_bias is [e]", problem);
    routing.choice.rowwise() +=
        Eigen::Map<const Eigen::RowVectorXd>(correction_bias.data(), problem.e);
  }
  for (std::int64_t t = 0; t < problem.t; ++t) {
    const std::span<double> choice(routing.choice.row(t).data(),
                                   static_cast<std::size_t>(problem.e));
    if (problem.groups > 1) mask_groups(problem, choice);
    const std::vector<std::int32_t> chosen = best(choice, problem.k);
    routing.ids.insert(routing.ids.end(), chosen.begin(), chosen.end());
  }
  routing.weights = weights_from_scores(problem, routing.scores, routing.ids);
  return routing;
}

std::vector<double> weights_given_choice(const RouteProblem& problem, const Matrix& logits,
                                         std::span<const double> /*correction_bias*/,
                                         std::span<const std::int32_t> ids) {
  check(problem, logits);
  return weights_from_scores(problem, score(problem.scoring, logits), ids);
}

}  // namespace plumbline::moe
