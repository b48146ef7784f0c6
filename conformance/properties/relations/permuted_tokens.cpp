#include "conformance/properties/relations/list.h"
#include "conformance/properties/tokens.h"

namespace plumbline::properties {
namespace {

Judgement judge_permuted_tokens(const Case& base, Implementation& implementation) {
  const Trial trial = start(base, implementation, kPermutedTokens.name);
  if (trial.stop) return *trial.stop;
  const std::int64_t tokens = token_count(base.problem);
  if (tokens < 2) return nothing_to_change(trial, "fewer than two tokens");
  const auto order = permutation(tokens, base.seed, kPermutedTokens.name);
  const Rerun changed = rerun(trial, base.problem, with_tokens(trial.inputs, order));
  if (changed.stop) return *changed.stop;
  return same(trial, rows_of(trial.outputs, order), changed.outputs);
}

}  // namespace

const Relation kPermutedTokens = {"permuted_tokens", "moe.*",
                                  "Permuting the tokens permutes the rows of the output, bit for "
                                  "bit.",
                                  judge_permuted_tokens};

}  // namespace plumbline::properties
