#include <limits>

#include "conformance/inputs/inputs.h"
#include "conformance/properties/relations/list.h"
#include "conformance/properties/tokens.h"

namespace plumbline::properties {
namespace {

/// About a quarter of the slots, and every slot of the first token, get id −1.
void plant_sentinels(const ExpertsProblem& p, std::uint64_t seed, Tensors& inputs) {
  const auto drawn = draw(p.t * p.k, 4, seed, kSentinelSlots.name);
  const auto ids = inputs.at("topk_ids").as<std::int32_t>();
  for (std::size_t n = 0; n < drawn.size(); ++n) {
    if (drawn[n] == 0 || static_cast<std::int64_t>(n) < p.k) ids[n] = -1;
  }
}

/// What stands behind a −1 is nobody's: its weight becomes NaN, and so does the first token.
Tensors poisoned(const Tensors& inputs) {
  Tensors changed = inputs;
  const auto ids = integers_of(inputs, "topk_ids");
  const auto weights = changed.at("topk_weights").as<float>();
  for (std::size_t n = 0; n < ids.size(); ++n) {
    if (ids[n] < 0) weights[n] = std::numeric_limits<float>::quiet_NaN();
  }
  poison_row(changed.at("x"), 0);
  return changed;
}

Judgement judge_sentinel_slots(const Case& base, Implementation& implementation) {
  const auto p = described<ExpertsProblem>(base.problem);
  Tensors inputs = inputs::make(base);
  plant_sentinels(p, base.seed, inputs);
  const Trial trial = start(base, implementation, kSentinelSlots.name, inputs);
  if (trial.stop) return *trial.stop;
  if (p.t == 0) return nothing_to_change(trial, "no token");
  const Rerun changed = rerun(trial, base.problem, poisoned(inputs));
  if (changed.stop) return *changed.stop;
  return same(trial, trial.outputs, changed.outputs);
}

}  // namespace

const Relation kSentinelSlots = {"sentinel_slots", "moe.experts",
                                 "A slot with id -1 is inert: its weight is not read, nor is a "
                                 "token that has no expert.",
                                 judge_sentinel_slots};

}  // namespace plumbline::properties
