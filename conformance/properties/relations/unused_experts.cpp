#include "conformance/properties/relations/list.h"
#include "conformance/properties/tokens.h"

namespace plumbline::properties {
namespace {

Judgement judge_unused_experts(const Case& base, Implementation& implementation) {
  const Trial trial = start(base, implementation, kUnusedExperts.name);
  if (trial.stop) return *trial.stop;
  const auto unused = unused_experts(described<ExpertsProblem>(base.problem), trial.inputs);
  if (unused.empty()) return nothing_to_change(trial, "every expert is used");
  Tensors inputs = trial.inputs;
  for (auto& [name, tensor] : inputs) {
    if (!name.starts_with("w13") && !name.starts_with("w2")) continue;
    for (const std::int64_t expert : unused) poison_row(tensor, expert);
  }
  const Rerun changed = rerun(trial, base.problem, inputs);
  if (changed.stop) return *changed.stop;
  return same(trial, trial.outputs, changed.outputs);
}

}  // namespace

const Relation kUnusedExperts = {"unused_experts", "moe.experts",
                                 "The weights of an expert that no token chose are not read: NaN "
                                 "there changes no bit.",
                                 judge_unused_experts};

}  // namespace plumbline::properties
