#include "reference/bounds/evaluate.h"

#include <limits>
#include <string>

#include "reference/attention/attention.h"
#include "reference/bounds/attention.h"
#include "reference/bounds/experts.h"
#include "reference/formats/codec.h"
#include "reference/moe/experts.h"
#include "reference/spec/problems.h"
#include "reference/spec/status.h"

namespace plumbline::bounds {
namespace {

template <class T>
T descriptor(const Problem& problem) {
  auto described = T::from(problem);
  if (!described) throw BadInput("", problem.text(), described.refusal().text());
  return *described;
}

ExpectedTensors evaluate_experts(const Problem& problem, const Tensors& inputs,
                                 const Profile& profile, Tracks tracks) {
  const auto layer = descriptor<ExpertsProblem>(problem);
  const ExpertArithmetic arithmetic{layer.activation, profile,
                                    layer.io,         layer.quant,
                                    layer.scale,      tracks == Tracks::kAlsoCalibrated};
  ExpectedTensors expected;
  moe::ExpertInputs decoded = moe::decode_inputs(inputs, layer.quant);
  decoded.weight_on = layer.weight_on;
  expected["out"] = experts(decoded, arithmetic);
  return expected;
}

const Tensor& tensor_of(const Tensors& inputs, std::string_view name) {
  const auto found = inputs.find(name);
  if (found == inputs.end()) throw BadInput("", name, "is missing");
  return found->second;
}

Expected unwritten(DType dtype, std::vector<std::int64_t> shape) {
  const auto n = static_cast<std::size_t>(TensorSpec{dtype, shape}.elements());
  return {dtype, std::move(shape), std::vector<double>(n, 0.0), std::vector<double>(n, 0.0)};
}

ExpectedTensors evaluate_attention(const Problem& problem, const Tensors& inputs,
                                   const Profile& profile) {
  const auto described = descriptor<AttentionProblem>(problem);
  const auto& q = tensor_of(inputs, "q").spec.shape;
  const std::int64_t rows = q.at(0);
  const std::int64_t heads = q.at(1);
  Expected out;
  Expected lse = unwritten(DType::kF32, {heads, rows});
  for (const attention::Head& head : attention::gather(described, inputs)) {
    const HeadExpected part = attention(head.inputs, profile, described.io);
    const std::int64_t dv = part.out.mid.cols();
    if (out.shape.empty()) out = unwritten(described.io, {rows, heads, dv});
    for (std::int64_t r = 0; r < part.out.mid.rows(); ++r) {
      const std::int64_t row = head.first_row + r;
      const std::int64_t at = (row * heads + head.head) * dv;
      std::copy_n(&part.out.mid(r, 0), dv, out.value.begin() + at);
      std::copy_n(&part.out.radius(r, 0), dv, out.radius.begin() + at);
      const auto lse_at = static_cast<std::size_t>(head.head * rows + row);
      lse.value[lse_at] = part.lse[static_cast<std::size_t>(r)];
      lse.radius[lse_at] = part.lse_radius[static_cast<std::size_t>(r)];
    }
  }
  if (out.shape.empty()) out = unwritten(described.io, q);
  ExpectedTensors expected;
  expected["out"] = std::move(out);
  if (described.has_lse) expected["lse"] = std::move(lse);
  return expected;
}

}  // namespace

RouteExpected evaluate_route(const RouteProblem& problem, const Tensors& inputs) {
  const Tensor& logits = tensor_of(inputs, "router_logits");
  if (logits.spec.elements() != problem.t * problem.e) {
    throw BadInput("", "router_logits", "is not [t, e]: " + logits.spec.text());
  }
  std::vector<double> bias;
  if (problem.has_bias) bias = formats::decode(tensor_of(inputs, "correction_bias"));
  if (problem.has_bias && std::ssize(bias) != problem.e) {
    throw BadInput("", "correction_bias", "does not have e elements");
  }
  return evaluate_route(problem, ops::to_matrix(logits, problem.t, problem.e), bias);
}

ExpectedTensors evaluate(const Problem& problem, const Tensors& inputs, const Profile& profile,
                         Tracks tracks) {
  if (problem.op == "moe.experts") return evaluate_experts(problem, inputs, profile, tracks);
  if (problem.op == "attention.prefill" || problem.op == "attention.decode") {
    return evaluate_attention(problem, inputs, profile);
  }
  throw BadInput("", problem.op, "has no bounds of single elements");
}

}  // namespace plumbline::bounds
