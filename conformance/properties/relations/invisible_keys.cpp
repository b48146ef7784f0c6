#include <algorithm>
#include <limits>

#include "conformance/properties/relations/list.h"
#include "conformance/properties/sequences.h"
#include "reference/formats/codec.h"
#include "reference/spec/format.h"

namespace plumbline::properties {
namespace {

/// First key of sequence s that some row of it sees: 0, or under a sliding window the first of its
/// first row.
std::int64_t first_visible(const AttentionProblem& p, std::int64_t queries, std::int64_t keys) {
  if (p.mask != Mask::kSliding) return 0;
  return std::clamp<std::int64_t>(keys - queries - p.w + 1, 0, keys);
}

void fill_row(Tensor& tensor, std::int64_t row, double value) {
  Tensor one = take(tensor, std::vector<std::int64_t>{row});
  one = formats::encode(one.spec,
                        std::vector<double>(static_cast<std::size_t>(one.spec.elements()), value));
  std::copy(one.data.begin(), one.data.end(),
            tensor.data.begin() + row * static_cast<std::ptrdiff_t>(one.data.size()));
}

/// Rows of k and v that no query sees; with a cache: rows of [pages_total · page].
std::vector<std::int64_t> invisible_rows(const AttentionProblem& p, const Tensors& inputs) {
  std::vector<std::int64_t> rows;
  if (!p.decode) {
    const auto cu_q = inputs.at("cu_q").as<std::int32_t>();
    const auto cu_k = inputs.at("cu_k").as<std::int32_t>();
    for (std::size_t s = 0; s + 1 < cu_q.size(); ++s) {
      const std::int64_t queries = cu_q[s + 1] - cu_q[s];
      const std::int64_t keys = cu_k[s + 1] - cu_k[s];
      const std::int64_t seen = queries == 0 ? keys : first_visible(p, queries, keys);
      for (std::int64_t j = 0; j < seen; ++j) rows.push_back(cu_k[s] + j);
    }
    return rows;
  }
  const std::int64_t slots = inputs.at("k_cache").spec.shape.at(0) * p.page;
  std::vector<bool> seen(static_cast<std::size_t>(slots), false);
  const auto table = inputs.at("block_table").as<std::int32_t>();
  const auto lengths = inputs.at("seq_lens").as<std::int32_t>();
  for (std::int64_t s = 0; s < p.b; ++s) {
    const std::int64_t keys = lengths[static_cast<std::size_t>(s)];
    for (std::int64_t j = first_visible(p, 1, keys); j < keys; ++j) {
      const std::int64_t page = table[static_cast<std::size_t>(s * p.pages() + j / p.page)];
      seen[static_cast<std::size_t>(page * p.page + j % p.page)] = true;
    }
  }
  for (std::int64_t slot = 0; slot < slots; ++slot) {
    if (!seen[static_cast<std::size_t>(slot)]) rows.push_back(slot);
  }
  return rows;
}

/// The tensor with its first two axes as one, so that a slot of the cache is a row.
void fill_rows(const AttentionProblem& p, Tensor& tensor, const std::vector<std::int64_t>& rows,
               double value) {
  const TensorSpec spec = tensor.spec;
  if (p.decode) {
    tensor.spec.shape.erase(tensor.spec.shape.begin());
    tensor.spec.shape[0] *= spec.shape[0];
  }
  for (const std::int64_t row : rows) fill_row(tensor, row, value);
  tensor.spec = spec;
}

Tensors with_invisible(const AttentionProblem& p, const Tensors& inputs,
                       const std::vector<std::int64_t>& rows, double value) {
  Tensors changed = inputs;
  fill_rows(p, changed.at(p.decode ? "k_cache" : "k"), rows, value);
  fill_rows(p, changed.at(p.decode ? "v_cache" : "v"), rows, value);
  return changed;
}

Judgement judge_invisible_keys(const Case& base, Implementation& implementation) {
  const Trial trial = start(base, implementation, kInvisibleKeys.name);
  if (trial.stop) return *trial.stop;
  const auto p = described<AttentionProblem>(base.problem);
  const auto rows = invisible_rows(p, trial.inputs);
  if (rows.empty()) return nothing_to_change(trial, "every key is visible to some row");
  std::vector<Judgement> each;
  const double huge = format_of(p.io).max_finite();
  for (const double value : {0.0, huge, std::numeric_limits<double>::quiet_NaN()}) {
    const Rerun changed = rerun(trial, base.problem, with_invisible(p, trial.inputs, rows, value));
    if (changed.stop) return *changed.stop;
    each.push_back(same(trial, trial.outputs, changed.outputs));
  }
  return judge::worst_of(each);
}

}  // namespace

const Relation kInvisibleKeys = {"invisible_keys", "attention.*",
                                 "What stands in keys, slots and pages that no row sees (zeros, "
                                 "the largest number, NaN) changes no bit.",
                                 judge_invisible_keys};

}  // namespace plumbline::properties
