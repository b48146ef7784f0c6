#include "conformance/properties/relations/list.h"
#include "conformance/properties/sequences.h"

namespace plumbline::properties {
namespace {

/// The last query and the last key of every sequence that has both become NaN; `kept` collects the
/// query rows that may see neither.
Tensors poison_last(const Tensors& inputs, std::vector<std::int64_t>& kept) {
  Tensors changed = inputs;
  const auto cu_q = inputs.at("cu_q").as<std::int32_t>();
  const auto cu_k = inputs.at("cu_k").as<std::int32_t>();
  for (std::size_t s = 0; s + 1 < cu_q.size(); ++s) {
    const bool both = cu_q[s] < cu_q[s + 1] && cu_k[s] < cu_k[s + 1];
    const std::int64_t end = cu_q[s + 1] - (both ? 1 : 0);
    for (std::int64_t row = cu_q[s]; row < end; ++row) kept.push_back(row);
    if (!both) continue;
    poison_row(changed.at("q"), cu_q[s + 1] - 1);
    poison_row(changed.at("k"), cu_k[s + 1] - 1);
    poison_row(changed.at("v"), cu_k[s + 1] - 1);
  }
  return changed;
}

Judgement judge_causal_prefix(const Case& base, Implementation& implementation) {
  const Trial trial = start(base, implementation, kCausalPrefix.name);
  if (trial.stop) return *trial.stop;
  const auto p = described<AttentionProblem>(base.problem);
  if (p.mask == Mask::kFull) return nothing_to_change(trial, "every row sees every key");
  std::vector<std::int64_t> kept;
  const Tensors inputs = poison_last(trial.inputs, kept);
  if (kept.empty()) return nothing_to_change(trial, "no row precedes a last one");
  const Rerun changed = rerun(trial, base.problem, inputs);
  if (changed.stop) return *changed.stop;
  return same(trial, query_rows(trial.outputs, kept), query_rows(changed.outputs, kept));
}

}  // namespace

const Relation kCausalPrefix = {"causal_prefix", "attention.prefill",
                                "Under a causal mask NaN in the last query and key changes no bit "
                                "of an earlier row.",
                                judge_causal_prefix};

}  // namespace plumbline::properties
