#include "conformance/properties/relations/list.h"
#include "conformance/properties/tokens.h"

namespace plumbline::properties {
namespace {

/// Expert j becomes expert order[j] of before: weights are taken in that order and ids follow.
Tensors relabelled(const Tensors& inputs, const std::vector<std::int64_t>& order) {
  std::vector<std::int32_t> renamed(order.size());
  for (std::size_t j = 0; j < order.size(); ++j) {
    renamed[static_cast<std::size_t>(order[j])] = static_cast<std::int32_t>(j);
  }
  Tensors changed = inputs;
  for (auto& [name, tensor] : changed) {
    if (name.starts_with("w13") || name.starts_with("w2")) tensor = take(tensor, order);
  }
  for (std::int32_t& id : changed.at("topk_ids").as<std::int32_t>()) {
    if (id >= 0 && static_cast<std::size_t>(id) < renamed.size()) {
      id = renamed[static_cast<std::size_t>(id)];
    }
  }
  return changed;
}

Judgement judge_relabelled_experts(const Case& base, Implementation& implementation) {
  const Trial trial = start(base, implementation, kRelabelledExperts.name);
  if (trial.stop) return *trial.stop;
  const auto p = described<ExpertsProblem>(base.problem);
  if (p.e < 2) return nothing_to_change(trial, "one expert");
  const auto order = permutation(p.e, base.seed, kRelabelledExperts.name);
  const Rerun changed = rerun(trial, base.problem, relabelled(trial.inputs, order));
  if (changed.stop) return *changed.stop;
  return both_in_radius(trial, base.problem, trial.inputs, changed.outputs);
}

}  // namespace

const Relation kRelabelledExperts = {"relabelled_experts", "moe.experts",
                                     "Renaming the experts, their weights and ids alike, changes "
                                     "nothing but the order of the combine.",
                                     judge_relabelled_experts};

}  // namespace plumbline::properties
