#include "conformance/cases/legal.h"

#include <algorithm>
#include <string>

#include "conformance/inputs/inputs.h"
#include "reference/spec/problems.h"

namespace plumbline::cases {
namespace {

template <class Typed>
Result<Problem> through(const Problem& problem) {
  const Result<Typed> typed = Typed::from(problem);
  if (!typed) return typed.refusal();
  return typed->to_problem();
}

}  // namespace

Result<Problem> canonical(const Problem& problem) {
  if (problem.op == "moe.route") return through<RouteProblem>(problem);
  if (problem.op == "moe.experts") return through<ExpertsProblem>(problem);
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
