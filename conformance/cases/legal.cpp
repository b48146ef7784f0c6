#include "conformance/cases/legal.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "conformance/inputs/inputs.h"
#include "reference/spec/problems.h"

namespace plumbline::cases {
namespace {

/// What a problem costs: elements of all its tensors, and multiplications.
struct Cost {
  double elements = 0;
  double products = 0;
};

double count(std::int64_t n) { return static_cast<double>(n); }

Cost cost_of(const RouteProblem& p) {
  return {count(p.t) * count(p.e + 2 * p.k) + count(p.e), count(p.t) * count(p.e)};
}

Cost cost_of(const ExpertsProblem& p) {
  const double weights = count(p.h) * count(p.w13_rows() + p.i);
  return {count(p.e) * weights + count(p.t) * count(2 * p.h + 2 * p.k),
          count(p.t) * count(p.k) * weights};
}

/// Weights are held as saved, plain and packed.
Cost cost_of(const MethodProblem& p) {
  const Cost layer = cost_of(p.layer);
  return {3 * layer.elements, 2 * layer.products};
}

Cost cost_of(const IdentityProblem&) { return {}; }

Cost cost_of(const AttentionProblem& p) {
  const double rows = count(p.b) * (p.decode ? 1 : count(p.sq));
  const double keys = count(p.b) * count(p.pages()) * count(p.page);
  return {2 * count(p.d) * (rows * count(p.hq) + keys * count(p.hkv)),
          2 * rows * count(p.hq) * count(p.sk) * count(p.d)};
}

/// Dimensions that are each in range may multiply to more than any machine holds or ends in a day.
std::optional<Refusal> too_large(const Cost& cost) {
  constexpr double kMostElements = 0x1p28;
  constexpr double kMostProducts = 0x1p40;
  if (!(cost.elements <= kMostElements)) {
    return Refusal{Status::kCapacity, "the tensors of a case have at most 2^28 elements",
                   std::to_string(cost.elements)};
  }
  if (!(cost.products <= kMostProducts)) {
    return Refusal{Status::kCapacity, "a case takes at most 2^40 multiplications",
                   std::to_string(cost.products)};
  }
  return std::nullopt;
}

template <class Typed>
Result<Problem> through(const Problem& problem) {
  const Result<Typed> typed = Typed::from(problem);
  if (!typed) return typed.refusal();
  if (const std::optional<Refusal> refusal = too_large(cost_of(*typed))) return *refusal;
  return typed->to_problem();
}

}  // namespace

Result<Problem> canonical(const Problem& problem) {
  if (problem.op == "moe.route") return through<RouteProblem>(problem);
  if (problem.op == "moe.experts") return through<ExpertsProblem>(problem);
  if (problem.op == "moe.method") return through<MethodProblem>(problem);
  if (problem.op == "moe.identity") return through<IdentityProblem>(problem);
  if (problem.op == "attention.prefill" || problem.op == "attention.decode") {
    return through<AttentionProblem>(problem);
  }
  std::string rule = "operation is one of";
  for (const std::string_view op : all_operations()) rule += " " + std::string(op);
  return Refusal{Status::kUnsupported, rule, "\"" + problem.op + "\""};
}

Case case_from_id(std::string_view id) {
  Case test_case = parse_case(id);
  Result<Problem> problem = canonical(test_case.problem);
  if (!problem) throw BadInput("case id", id, problem.refusal().text());
  test_case.problem = std::move(problem).value();
  const auto names = inputs::all_distributions();
  if (std::find(names.begin(), names.end(), test_case.data) == names.end()) {
    std::string rule = "data is one of";
    for (const std::string_view name : names) rule += " " + std::string(name);
    throw BadInput("case id", id, rule);
  }
  return test_case;
}

}  // namespace plumbline::cases
