#include "conformance/properties/relations/list.h"
#include "conformance/properties/tokens.h"

namespace plumbline::properties {
namespace {

Judgement judge_duplicate_tokens(const Case& base, Implementation& implementation) {
  const std::string_view name = kDuplicateTokens.name;
  Trial trial = start(base, implementation, name);
  if (trial.stop) return *trial.stop;
  const std::int64_t tokens = token_count(base.problem);
  if (tokens < 2) return nothing_to_change(trial, "fewer than two tokens");
  const auto source = draw(tokens, tokens, base.seed, name);
  const Rerun changed = rerun(trial, base.problem, with_tokens(trial.inputs, source));
  if (changed.stop) return *changed.stop;
  return same(trial, rows_of(trial.outputs, source), changed.outputs);
}

}  // namespace

const Relation kDuplicateTokens = {"duplicate_tokens", "moe.*",
                                   "Equal tokens have equal rows wherever they stand, bit for bit.",
                                   judge_duplicate_tokens};

}  // namespace plumbline::properties
