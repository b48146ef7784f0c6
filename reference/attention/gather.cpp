#include <algorithm>
#include <numeric>
#include <span>
#include <string>

#include "reference/attention/attention.h"
#include "reference/formats/codec.h"
#include "reference/ops/required.h"
#include "reference/spec/status.h"

namespace plumbline::attention {
namespace {

using ops::require_shape;
using ops::required;
using Indices = std::vector<std::int32_t>;

/// A tensor of rows [rows, heads, d], decoded once, from which the rows of one head are picked.
struct Rows {
  std::vector<double> values;
  std::int64_t heads;
  std::int64_t d;

  Matrix pick(std::span<const std::int64_t> rows, std::int64_t head) const {
    Matrix picked(std::ssize(rows), d);
    Eigen::Index at = 0;
    for (const std::int64_t row : rows) {
      const double* first = values.data() + (row * heads + head) * d;
      picked.row(at++) = Eigen::Map<const Eigen::RowVectorXd>(first, d);
    }
    return picked;
  }
};

/// Rows of one sequence in the tensors of a case: a range of queries, and its keys one by one.
struct Sequence {
  std::int64_t first_query;
  std::int64_t queries;
  std::vector<std::int64_t> keys;
};

std::vector<std::int64_t> range(std::int64_t first, std::int64_t count) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

/// Offsets [b + 1] that start at 0, never fall and end at `rows`.
Indices offsets(const Tensors& tensors, std::string_view name, std::int64_t b, std::int64_t rows) {
  Indices cu = ops::required_integers(tensors, name, 1);
  require_shape(name, required(tensors, name, 1), {b + 1});
  if (cu.front() != 0 || cu.back() != rows || !std::is_sorted(cu.begin(), cu.end())) {
    throw BadInput("", name,
                   "starts at 0, never falls and ends at the " + std::to_string(rows) + " rows");
  }
  return cu;
}

std::vector<Sequence> varlen_sequences(const AttentionProblem& problem, const Tensors& tensors) {
  const Tensor& q = required(tensors, "q", 3);
  const Tensor& k = required(tensors, "k", 3);
  const std::int64_t tq = q.spec.shape[0];
  const std::int64_t tk = k.spec.shape[0];
  require_shape("q", q, {tq, problem.hq, problem.d});
  require_shape("k", k, {tk, problem.hkv, problem.d});
  require_shape("v", required(tensors, "v", 3), {tk, problem.hkv, problem.d});
  const Indices cu_q = offsets(tensors, "cu_q", problem.b, tq);
  const Indices cu_k = offsets(tensors, "cu_k", problem.b, tk);
  std::vector<Sequence> sequences;
  for (std::size_t s = 0; s + 1 < cu_q.size(); ++s) {
    sequences.push_back({cu_q[s], cu_q[s + 1] - cu_q[s], range(cu_k[s], cu_k[s + 1] - cu_k[s])});
  }
  return sequences;
}

/// Slots in a cache of `total` pages of the first `count` keys, through a row of the block table.
std::vector<std::int64_t> paged_keys(std::span<const std::int32_t> pages, std::int64_t count,
                                     std::int64_t page, std::int64_t total) {
  std::vector<std::int64_t> slots;
  for (std::int64_t key = 0; key < count; ++key) {
    const std::int64_t at = pages[static_cast<std::size_t>(key / page)];
    if (at < 0 || at >= total) {
      throw BadInput("", "block_table",
                     "names pages in [0, " + std::to_string(total) +
                         ") where there are keys, not " + std::to_string(at));
    }
    slots.push_back(at * page + key % page);
  }
  return slots;
}

void check_cache(const AttentionProblem& problem, const Tensors& tensors) {
  const Tensor& cache = required(tensors, "k_cache", 4);
  const std::int64_t total = cache.spec.shape[0];
  const Tensor& table = required(tensors, "block_table", 2);
  require_shape("q", required(tensors, "q", 3), {problem.b, problem.hq, problem.d});
  require_shape("k_cache", cache, {total, problem.page, problem.hkv, problem.d});
  require_shape("v_cache", required(tensors, "v_cache", 4),
                {total, problem.page, problem.hkv, problem.d});
  require_shape("block_table", table, {problem.b, table.spec.shape[1]});
  require_shape("seq_lens", required(tensors, "seq_lens", 1), {problem.b});
}

std::vector<Sequence> paged_sequences(const AttentionProblem& problem, const Tensors& tensors) {
  check_cache(problem, tensors);
  const std::int64_t total = required(tensors, "k_cache", 4).spec.shape[0];
  const Indices table = ops::required_integers(tensors, "block_table", 2);
  const Indices lengths = ops::required_integers(tensors, "seq_lens", 1);
  const std::size_t width = table.size() / lengths.size();
  const std::int64_t longest = static_cast<std::int64_t>(width) * problem.page;
  std::vector<Sequence> sequences;
  for (std::size_t s = 0; s < lengths.size(); ++s) {
    if (lengths[s] < 0 || lengths[s] > longest) {
      throw BadInput("", "seq_lens",
                     "is at most the " + std::to_string(longest) + " slots of a sequence, not " +
                         std::to_string(lengths[s]));
    }
    const std::span pages = std::span(table).subspan(s * width, width);
    sequences.push_back(
        {static_cast<std::int64_t>(s), 1, paged_keys(pages, lengths[s], problem.page, total)});
  }
  return sequences;
}

/// What all heads of a problem share.
HeadInputs settings_of(const AttentionProblem& problem) {
  HeadInputs settings;
  settings.scale = static_cast<double>(problem.softmax_scale());
  settings.softcap = problem.softcap;
  settings.mask = problem.mask;
  settings.w = problem.w;
  return settings;
}

std::vector<double> sinks_of(const AttentionProblem& problem, const Tensors& tensors) {
  if (!problem.has_sinks) return {};
  const Tensor& sinks = required(tensors, "sinks", 1);
  require_shape("sinks", sinks, {problem.hq});
  return formats::decode(sinks);
}

}  // namespace

std::vector<Head> gather(const AttentionProblem& problem, const Tensors& tensors) {
  const std::vector<Sequence> sequences =
      problem.decode ? paged_sequences(problem, tensors) : varlen_sequences(problem, tensors);
  const auto rows = [&](std::string_view name, std::int64_t heads) {
    return Rows{formats::decode(tensors.find(name)->second), heads, problem.d};
  };
  const Rows q = rows("q", problem.hq);
  const Rows k = rows(problem.decode ? "k_cache" : "k", problem.hkv);
  const Rows v = rows(problem.decode ? "v_cache" : "v", problem.hkv);
  const std::vector<double> sinks = sinks_of(problem, tensors);
  std::vector<Head> heads;
  for (const Sequence& sequence : sequences) {
    const std::vector<std::int64_t> queries = range(sequence.first_query, sequence.queries);
    for (std::int64_t head = 0; head < problem.hq; ++head) {
      const std::int64_t kv_head = head / (problem.hq / problem.hkv);
      HeadInputs in = settings_of(problem);
      in.q = q.pick(queries, head);
      in.k = k.pick(sequence.keys, kv_head);
      in.v = v.pick(sequence.keys, kv_head);
      if (!sinks.empty()) in.sink = sinks[static_cast<std::size_t>(head)];
      heads.push_back({std::move(in), head, sequence.first_query});
    }
  }
  return heads;
}

}  // namespace plumbline::attention
