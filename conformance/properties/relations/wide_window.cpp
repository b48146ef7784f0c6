#include <algorithm>

#include "conformance/properties/relations/list.h"
#include "conformance/properties/sequences.h"

namespace plumbline::properties {
namespace {

Judgement judge_wide_window(const Case& base, Implementation& implementation) {
  const Trial trial = start(base, implementation, kWideWindow.name);
  if (trial.stop) return *trial.stop;
  const auto p = described<AttentionProblem>(base.problem);
  if (p.mask != Mask::kCausal) return nothing_to_change(trial, "the mask is not causal");
  Problem wide = with_axis(base.problem, "mask", name_of(Mask::kSliding));
  wide.set_dim("w", std::max<std::int64_t>(p.sk, 1));
  const Rerun changed = rerun(trial, wide, trial.inputs);
  if (changed.stop) return *changed.stop;
  return both_in_radius(trial, base.problem, trial.inputs, changed.outputs);
}

}  // namespace

const Relation kWideWindow = {"wide_window", "attention.*",
                              "A sliding window as wide as the longest sequence is the causal "
                              "mask.",
                              judge_wide_window};

}  // namespace plumbline::properties
