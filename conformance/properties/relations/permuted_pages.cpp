#include "conformance/properties/relations/list.h"
#include "conformance/properties/sequences.h"

namespace plumbline::properties {
namespace {

/// Page order[j] moves to place j; the table follows.
Tensors moved_pages(const Tensors& inputs, const std::vector<std::int64_t>& order) {
  std::vector<std::int32_t> place(order.size());
  for (std::size_t j = 0; j < order.size(); ++j) {
    place[static_cast<std::size_t>(order[j])] = static_cast<std::int32_t>(j);
  }
  Tensors changed = inputs;
  changed.at("k_cache") = take(inputs.at("k_cache"), order);
  changed.at("v_cache") = take(inputs.at("v_cache"), order);
  for (std::int32_t& entry : changed.at("block_table").as<std::int32_t>()) {
    if (entry >= 0) entry = place[static_cast<std::size_t>(entry)];
  }
  return changed;
}

Judgement judge_permuted_pages(const Case& base, Implementation& implementation) {
  const Trial trial = start(base, implementation, kPermutedPages.name);
  if (trial.stop) return *trial.stop;
  const std::int64_t pages = trial.inputs.at("k_cache").spec.shape.at(0);
  if (pages < 2) return nothing_to_change(trial, "one page");
  const auto order = permutation(pages, base.seed, kPermutedPages.name);
  const Rerun changed = rerun(trial, base.problem, moved_pages(trial.inputs, order));
  if (changed.stop) return *changed.stop;
  return same(trial, trial.outputs, changed.outputs);
}

}  // namespace

const Relation kPermutedPages = {"permuted_pages", "attention.decode",
                                 "Where a page lies in the cache changes no bit.",
                                 judge_permuted_pages};

}  // namespace plumbline::properties
