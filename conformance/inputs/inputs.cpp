#include "conformance/inputs/inputs.h"

#include "conformance/inputs/fill.h"
#include "reference/spec/status.h"

namespace plumbline::inputs {
namespace {

template <class Typed>
Typed typed(const Problem& problem) {
  Result<Typed> result = Typed::from(problem);
  if (!result) throw BadInput(problem.text(), "", result.refusal().text());
  return std::move(result).value();
}

/// The expert layer's tensors; weights in io where the checkpoint is quantised only when loaded.
Tensors method_inputs(const MethodProblem& problem, const Source& source) {
  ExpertsProblem layer = problem.layer;
  if (problem.checkpoint == "online") layer.quant = "bf16";
  return experts_inputs(layer, source);
}

}  // namespace

Tensors make(const Case& test_case) {
  const Problem& problem = test_case.problem;
  const Source source{find_distribution(test_case.data), test_case.seed};
  if (source.distribution == nullptr) {
    throw BadInput("case", "data=" + test_case.data, "no distribution of that name");
  }
  if (problem.op == "moe.route") return route_inputs(typed<RouteProblem>(problem), source);
  if (problem.op == "moe.experts") return experts_inputs(typed<ExpertsProblem>(problem), source);
  if (problem.op == "moe.method") return method_inputs(typed<MethodProblem>(problem), source);
  if (problem.op == "moe.identity") {
    static_cast<void>(typed<IdentityProblem>(problem));
    return {};
  }
  const auto attention = typed<AttentionProblem>(problem);
  return attention.decode ? decode_inputs(attention, source) : prefill_inputs(attention, source);
}

std::map<std::string, TensorSpec> output_specs(const Problem& problem, const Tensors& inputs) {
  if (problem.op == "moe.route") {
    const auto p = typed<RouteProblem>(problem);
    return {{"topk_ids", {DType::kI32, {p.t, p.k}}}, {"topk_weights", {DType::kF32, {p.t, p.k}}}};
  }
  if (problem.op == "moe.experts") {
    const auto p = typed<ExpertsProblem>(problem);
    return {{"out", {p.io, {p.t, p.h}}}};
  }
  if (problem.op == "moe.method") {
    const ExpertsProblem p = typed<MethodProblem>(problem).layer;
    return {{"out", {p.io, {p.t, p.h}}}};
  }
  if (problem.op == "moe.identity") return {};
  const auto p = typed<AttentionProblem>(problem);
  const TensorSpec& q = inputs.find("q")->second.spec;
  std::map<std::string, TensorSpec> specs = {{"out", {p.io, q.shape}}};
  if (p.has_lse) specs["lse"] = {DType::kF32, {p.hq, q.shape.at(0)}};
  return specs;
}

}  // namespace plumbline::inputs
