#include "conformance/properties/relations/list.h"
#include "conformance/properties/tokens.h"

namespace plumbline::properties {
namespace {

Judgement judge_scaled_router_weights(const Case& base, Implementation& implementation) {
  constexpr double kFactor = 4.0;
  const Trial trial = start(base, implementation, kScaledRouterWeights.name);
  if (trial.stop) return *trial.stop;
  const auto p = described<ExpertsProblem>(base.problem);
  if (p.io == DType::kF16) {
    return nothing_to_change(trial, "f16 has subnormal results, which do not scale exactly");
  }
  if (p.weight_on == WeightOn::kInput) {
    return nothing_to_change(trial, "the router weights stand before the activation");
  }
  Tensors inputs = trial.inputs;
  inputs.at("topk_weights") = scaled(inputs.at("topk_weights"), kFactor);
  Rerun changed = rerun(trial, base.problem, inputs);
  if (changed.stop) return *changed.stop;
  Tensors expected = {{"out", scaled(trial.outputs.at("out"), kFactor)}};
  drop_tiny(trial.outputs.at("out"), expected.at("out"), changed.outputs.at("out"));
  return same(trial, expected, changed.outputs);
}

}  // namespace

const Relation kScaledRouterWeights = {"scaled_router_weights", "moe.experts",
                                       "Router weights times a power of two give the output times "
                                       "that power, bit for bit.",
                                       judge_scaled_router_weights};

}  // namespace plumbline::properties
