#include "conformance/properties/relations/list.h"
#include "conformance/properties/sequences.h"

namespace plumbline::properties {
namespace {

Judgement judge_permuted_sequences(const Case& base, Implementation& implementation) {
  const Trial trial = start(base, implementation, kPermutedSequences.name);
  if (trial.stop) return *trial.stop;
  const auto p = described<AttentionProblem>(base.problem);
  if (p.b < 2) return nothing_to_change(trial, "one sequence");
  const auto order = permutation(p.b, base.seed, kPermutedSequences.name);
  const Rerun changed = rerun(trial, base.problem, with_sequences(p, trial.inputs, order));
  if (changed.stop) return *changed.stop;
  return same(trial, outputs_of_sequences(p, trial.inputs, trial.outputs, order), changed.outputs);
}

}  // namespace

const Relation kPermutedSequences = {"permuted_sequences", "attention.*",
                                     "Permuting the sequences of a batch permutes their rows, bit "
                                     "for bit.",
                                     judge_permuted_sequences};

}  // namespace plumbline::properties
