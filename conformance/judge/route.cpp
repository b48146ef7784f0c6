#include "reference/bounds/route.h"

#include <limits>

#include "conformance/judge/judge.h"
#include "conformance/judge/text.h"

namespace plumbline::judge {
namespace {

std::string ids_text(std::span<const std::int32_t> ids) {
  std::string text = "{";
  for (std::size_t i = 0; i < ids.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(ids[i]);
  }
  return text + "}";
}

Judgement wrong_ids(const RouteProblem& problem, const Tensor& ids) {
  Judgement result = verdict(Verdict::kFail, "W", "");
  result.elements = problem.t * problem.k;
  result.margin = std::numeric_limits<double>::infinity();
  result.reason = "topk_ids is " + ids.spec.text() + ", expected i32 [" +
                  std::to_string(problem.t) + ", " + std::to_string(problem.k) + "]";
  return result;
}

/// Tokens whose choice is not admissible, and why the first is not.
struct Choices {
  std::vector<std::int64_t> wrong;
  std::string first;
};

Choices judge_choices(const RouteProblem& problem, const bounds::RouteExpected& expected,
                      std::span<const std::int32_t> ids) {
  Choices choices;
  for (std::int64_t token = 0; token < problem.t; ++token) {
    const auto chosen = ids.subspan(static_cast<std::size_t>(token * problem.k),
                                    static_cast<std::size_t>(problem.k));
    const auto why = bounds::inadmissible(expected, token, chosen);
    if (!why) continue;
    if (choices.wrong.empty()) {
      choices.first = "token " + std::to_string(token) + " chose " + ids_text(chosen) + ": " + *why;
    }
    choices.wrong.push_back(token);
  }
  return choices;
}

Judgement judge_ids(const RouteProblem& problem, const bounds::RouteExpected& expected,
                    std::span<const std::int32_t> ids) {
  const Choices choices = judge_choices(problem, expected, ids);
  Judgement result = verdict(Verdict::kPass, "bitwise", "");
  result.elements = problem.t * problem.k;
  result.compared = result.elements;
  result.reason = "the choice of each of " + std::to_string(problem.t) + " tokens is admissible";
  if (problem.t == 0) result.reason = "topk_ids is empty by the problem";
  if (choices.wrong.empty()) return result;
  result.verdict = Verdict::kFail;
  result.margin = std::numeric_limits<double>::infinity();
  const std::vector<std::int64_t> shape = {problem.t};
  const std::vector<std::string> names = {"token"};
  result.reason = choices.first + "; " + std::to_string(choices.wrong.size()) + " of " +
                  std::to_string(problem.t) + " choices are wrong" +
                  pattern_of(choices.wrong, shape, names);
  return result;
}

/// Rows where nothing is defined take whatever came: the expected value becomes the given one.
void accept_undefined(const bounds::RouteExpected& expected, const Tensor& weights,
                      Expected& wanted) {
  const auto got = weights.as<float>();
  const auto k = static_cast<std::size_t>(expected.problem.k);
  for (std::size_t i = 0; i < wanted.value.size(); ++i) {
    if (!expected.undefined_row(static_cast<std::int64_t>(i / k))) continue;
    wanted.value[i] = static_cast<double>(got[i]);
    wanted.radius[i] = std::numeric_limits<double>::infinity();
  }
}

}  // namespace

Judgement route(const RouteProblem& problem, const bounds::RouteExpected& expected,
                const Tensor& ids, const Tensor& weights) {
  const std::vector<std::int64_t> shape = {problem.t, problem.k};
  if (ids.spec.dtype != DType::kI32 || ids.spec.shape != shape ||
      ids.data.size() != static_cast<std::size_t>(ids.spec.bytes())) {
    return wrong_ids(problem, ids);
  }
  const auto chosen = ids.as<std::int32_t>();
  Expected wanted = bounds::expected_weights(expected, chosen);
  if (weights.spec.dtype == wanted.dtype && weights.spec.shape == wanted.shape) {
    accept_undefined(expected, weights, wanted);
  }
  const std::vector<Judgement> both = {judge_ids(problem, expected, chosen),
                                       numeric("topk_weights", wanted, weights)};
  Judgement result = worst_of(both);
  result.lane = "route";
  return result;
}

}  // namespace plumbline::judge
