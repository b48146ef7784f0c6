#include "conformance/properties/relations/list.h"
#include "conformance/properties/sequences.h"

namespace plumbline::properties {
namespace {

Judgement judge_sequence_alone(const Case& base, Implementation& implementation) {
  const Trial trial = start(base, implementation, kSequenceAlone.name);
  if (trial.stop) return *trial.stop;
  const auto p = described<AttentionProblem>(base.problem);
  if (p.b < 2) return nothing_to_change(trial, "one sequence");
  const auto chosen = draw(1, p.b, base.seed, kSequenceAlone.name);
  const Rerun changed =
      rerun(trial, with_dim(base.problem, "b", 1), with_sequences(p, trial.inputs, chosen));
  if (changed.stop) return *changed.stop;
  return same(trial, outputs_of_sequences(p, trial.inputs, trial.outputs, chosen), changed.outputs);
}

}  // namespace

const Relation kSequenceAlone = {"sequence_alone", "attention.*",
                                 "A sequence gives the same bits alone as in its batch.",
                                 judge_sequence_alone};

}  // namespace plumbline::properties
