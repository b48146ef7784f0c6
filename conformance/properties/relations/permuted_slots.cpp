#include "conformance/properties/relations/list.h"
#include "conformance/properties/tokens.h"

namespace plumbline::properties {
namespace {

Judgement judge_permuted_slots(const Case& base, Implementation& implementation) {
  const Trial trial = start(base, implementation, kPermutedSlots.name);
  if (trial.stop) return *trial.stop;
  const auto p = described<ExpertsProblem>(base.problem);
  if (p.k < 2) return nothing_to_change(trial, "one slot a token");
  const auto order = permutation(p.k, base.seed, kPermutedSlots.name);
  Tensors inputs = trial.inputs;
  for (const char* name : {"topk_ids", "topk_weights"}) {
    inputs.at(name) = take(inputs.at(name), order, 1);
  }
  const Rerun changed = rerun(trial, base.problem, inputs);
  if (changed.stop) return *changed.stop;
  return both_in_radius(trial, base.problem, trial.inputs, changed.outputs);
}

}  // namespace

const Relation kPermutedSlots = {"permuted_slots", "moe.experts",
                                 "The order of a token's experts changes nothing but the order of "
                                 "the combine.",
                                 judge_permuted_slots};

}  // namespace plumbline::properties
