#include "conformance/properties/relations/list.h"
#include "conformance/properties/sequences.h"

namespace plumbline::properties {
namespace {

Judgement judge_scaled_values(const Case& base, Implementation& implementation) {
  constexpr double kFactor = 2.0;
  const Trial trial = start(base, implementation, kScaledValues.name);
  if (trial.stop) return *trial.stop;
  const auto p = described<AttentionProblem>(base.problem);
  if (p.io == DType::kF16) {
    return nothing_to_change(trial, "f16 has subnormal results, which do not scale exactly");
  }
  Tensors inputs = trial.inputs;
  Tensor& values = inputs.at(p.decode ? "v_cache" : "v");
  values = scaled(values, kFactor);
  Rerun changed = rerun(trial, base.problem, inputs);
  if (changed.stop) return *changed.stop;
  Tensors expected = trial.outputs;
  expected.at("out") = scaled(trial.outputs.at("out"), kFactor);
  drop_tiny(trial.outputs.at("out"), expected.at("out"), changed.outputs.at("out"));
  return same(trial, expected, changed.outputs);
}

}  // namespace

const Relation kScaledValues = {"scaled_values", "attention.*",
                                "Values times two give the output times two and the same LSE, bit "
                                "for bit.",
                                judge_scaled_values};

}  // namespace plumbline::properties
