#include "conformance/inputs/inputs.h"
#include "conformance/properties/relations/list.h"
#include "conformance/properties/tokens.h"

namespace plumbline::properties {
namespace {

/// Some slots get weight 0: about a quarter of them, and every slot of the last token.
std::vector<bool> chosen_slots(const ExpertsProblem& p, std::uint64_t seed) {
  const auto drawn = draw(p.t * p.k, 4, seed, kZeroWeightSlots.name);
  std::vector<bool> chosen;
  for (std::size_t n = 0; n < drawn.size(); ++n) {
    const bool last_token = static_cast<std::int64_t>(n) / p.k == p.t - 1;
    chosen.push_back(drawn[n] == 0 || last_token);
  }
  return chosen;
}

Judgement judge_zero_weight_slots(const Case& base, Implementation& implementation) {
  const std::string_view name = kZeroWeightSlots.name;
  const auto p = described<ExpertsProblem>(base.problem);
  Tensors inputs = inputs::make(base);
  const std::vector<bool> zero = chosen_slots(p, base.seed);
  for (std::size_t n = 0; n < zero.size(); ++n) {
    if (zero[n]) inputs.at("topk_weights").as<float>()[n] = 0.0F;
  }
  const Trial trial = start(base, implementation, name, inputs);
  if (trial.stop) return *trial.stop;
  if (p.t == 0) return nothing_to_change(trial, "no token");
  for (std::size_t n = 0; n < zero.size(); ++n) {
    if (zero[n]) inputs.at("topk_ids").as<std::int32_t>()[n] = -1;
  }
  const Rerun changed = rerun(trial, base.problem, inputs);
  if (changed.stop) return *changed.stop;
  return same_values(trial, trial.outputs, changed.outputs);
}

}  // namespace

const Relation kZeroWeightSlots = {"zero_weight_slots", "moe.experts",
                                   "An expert with router weight 0 adds as much as no expert: "
                                   "nothing.",
                                   judge_zero_weight_slots};

}  // namespace plumbline::properties
