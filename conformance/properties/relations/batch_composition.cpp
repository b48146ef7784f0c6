#include "conformance/properties/relations/list.h"
#include "conformance/properties/tokens.h"

namespace plumbline::properties {
namespace {

Judgement judge_batch_composition(const Case& base, Implementation& implementation) {
  const Trial trial = start(base, implementation, kBatchComposition.name);
  if (trial.stop) return *trial.stop;
  const std::int64_t tokens = token_count(base.problem);
  if (tokens < 2) return nothing_to_change(trial, "fewer than two tokens");
  const auto kept = first((tokens + 1) / 2);
  const Problem problem = with_token_count(base.problem, static_cast<std::int64_t>(kept.size()));
  const Rerun changed = rerun(trial, problem, with_tokens(trial.inputs, kept));
  if (changed.stop) return *changed.stop;
  return same(trial, rows_of(trial.outputs, kept), changed.outputs);
}

}  // namespace

const Relation kBatchComposition = {"batch_composition", "moe.*",
                                    "A token's row does not depend on the other tokens of its "
                                    "batch, bit for bit.",
                                    judge_batch_composition};

}  // namespace plumbline::properties
