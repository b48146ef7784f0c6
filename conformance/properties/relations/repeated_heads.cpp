#include "conformance/properties/relations/list.h"
#include "conformance/properties/sequences.h"

namespace plumbline::properties {
namespace {

Judgement judge_repeated_heads(const Case& base, Implementation& implementation) {
  const Trial trial = start(base, implementation, kRepeatedHeads.name);
  if (trial.stop) return *trial.stop;
  const auto p = described<AttentionProblem>(base.problem);
  if (p.hq == p.hkv) return nothing_to_change(trial, "every query head has its own keys");
  std::vector<std::int64_t> source;
  for (std::int64_t head = 0; head < p.hq; ++head) source.push_back(head / (p.hq / p.hkv));
  Tensors inputs = trial.inputs;
  const std::size_t head_axis = p.decode ? 2 : 1;
  for (const char* name : {p.decode ? "k_cache" : "k", p.decode ? "v_cache" : "v"}) {
    inputs.at(name) = take(inputs.at(name), source, head_axis);
  }
  const Rerun changed = rerun(trial, with_dim(base.problem, "hkv", p.hq), inputs);
  if (changed.stop) return *changed.stop;
  return both_in_radius(trial, base.problem, trial.inputs, changed.outputs);
}

}  // namespace

const Relation kRepeatedHeads = {"repeated_heads", "attention.*",
                                 "Grouped queries give what they give with their keys and values "
                                 "repeated a head.",
                                 judge_repeated_heads};

}  // namespace plumbline::properties
