#include <limits>

#include "conformance/inputs/inputs.h"
#include "conformance/properties/relations/list.h"
#include "conformance/properties/sequences.h"

namespace plumbline::properties {
namespace {

Judgement judge_sink_of_minus_infinity(const Case& base, Implementation& implementation) {
  Case without = base;
  without.problem.set_axis("sinks", "no");
  Tensors inputs = inputs::make(without);
  const Trial trial = start(without, implementation, kSinkOfMinusInfinity.name, inputs);
  if (trial.stop) return *trial.stop;
  const auto p = described<AttentionProblem>(base.problem);
  Tensor sinks = Tensor::zeros({DType::kF32, {p.hq}});
  for (float& sink : sinks.as<float>()) sink = -std::numeric_limits<float>::infinity();
  inputs["sinks"] = sinks;
  const Rerun changed = rerun(trial, with_axis(base.problem, "sinks", "yes"), inputs);
  if (changed.stop) return *changed.stop;
  return both_in_radius(trial, without.problem, trial.inputs, changed.outputs);
}

}  // namespace

const Relation kSinkOfMinusInfinity = {"sink_of_minus_infinity", "attention.*",
                                       "A sink of minus infinity is no sink.",
                                       judge_sink_of_minus_infinity};

}  // namespace plumbline::properties
