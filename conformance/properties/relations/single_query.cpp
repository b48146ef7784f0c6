#include "conformance/properties/relations/list.h"
#include "conformance/properties/sequences.h"

namespace plumbline::properties {
namespace {

Judgement judge_single_query(const Case& base, Implementation& implementation) {
  const Trial trial = start(base, implementation, kSingleQuery.name);
  if (trial.stop) return *trial.stop;
  const auto p = described<AttentionProblem>(base.problem);
  if (p.sq != 1 || p.mask == Mask::kSliding) {
    return nothing_to_change(trial, "one query a sequence and a full or causal mask are needed");
  }
  const Mask other = p.mask == Mask::kFull ? Mask::kCausal : Mask::kFull;
  const Rerun changed = rerun(trial, with_axis(base.problem, "mask", name_of(other)), trial.inputs);
  if (changed.stop) return *changed.stop;
  return same(trial, trial.outputs, changed.outputs);
}

}  // namespace

const Relation kSingleQuery = {"single_query", "attention.*",
                               "For one query a sequence the causal mask is the full one, bit for "
                               "bit.",
                               judge_single_query};

}  // namespace plumbline::properties
