#include <limits>
#include <numeric>

#include "conformance/inputs/fill.h"
#include "reference/formats/codec.h"

namespace plumbline::inputs {
namespace {

/// Which of three kinds sequence s is where lens=with_empty: no keys, ragged, no queries.
enum class Kind : std::uint8_t { kNoKeys, kRagged, kNoQueries };
Kind kind_of(std::int64_t sequence) { return static_cast<Kind>(sequence % 3); }

/// Lengths of the b sequences, at most `longest`; `empty` is the kind that has none of these.
std::vector<std::int32_t> lengths(const AttentionProblem& p, const Stream& stream,
                                  std::int64_t longest, Kind empty) {
  std::vector<std::int32_t> drawn;
  for (std::int64_t s = 0; s < p.b; ++s) {
    const auto ragged = [&] {
      if (longest == 0) return std::int64_t{0};
      return 1 + static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(s),
                                                        static_cast<std::uint64_t>(longest)));
    };
    std::int64_t length = longest;
    if (p.lengths != Lengths::kEqual) length = ragged();
    if (p.lengths == Lengths::kWithEmpty && kind_of(s) == empty) length = 0;
    drawn.push_back(static_cast<std::int32_t>(length));
  }
  return drawn;
}

std::vector<std::int32_t> cumulative(const std::vector<std::int32_t>& lengths) {
  std::vector<std::int32_t> sums = {0};
  for (const std::int32_t length : lengths) sums.push_back(sums.back() + length);
  return sums;
}

/// Sinks are always gaussian: one that dwarfs every logit would leave nothing to compare.
void add_sinks(Tensors& tensors, const AttentionProblem& p, const Source& source) {
  const Source gaussian{find_distribution("gaussian"), source.seed};
  if (p.has_sinks) tensors["sinks"] = filled(gaussian, "sinks", {DType::kF32, {p.hq}});
}

/// Where the pages of every sequence lie in the cache.
struct PageTable {
  std::vector<std::int32_t> entries;  ///< [b, pages], −1 where unused
  std::vector<bool> visible;          ///< [pages_total, page]: whether a slot holds a key
  std::int64_t total = 0;             ///< pages of the cache, two of them nobody's
};

PageTable page_table(const AttentionProblem& p, const Source& source,
                     const std::vector<std::int32_t>& lengths) {
  constexpr std::int64_t kSpare = 2;
  PageTable table;
  table.total = kSpare;
  for (const std::int32_t length : lengths) table.total += (length + p.page - 1) / p.page;
  table.visible.assign(static_cast<std::size_t>(table.total * p.page), false);
  const std::vector<std::int32_t> order = permutation(source.stream("page_order"), table.total);
  std::size_t next = 0;
  for (const std::int32_t length : lengths) {
    for (std::int64_t entry = 0; entry < p.pages(); ++entry) {
      const std::int64_t first = entry * p.page;
      table.entries.push_back(first < length ? order[next++] : -1);
      for (std::int64_t slot = 0; slot < p.page && first + slot < length; ++slot) {
        table.visible[static_cast<std::size_t>(table.entries.back() * p.page + slot)] = true;
      }
    }
  }
  return table;
}

/// A cache [pages_total, page, hkv, d] whose invisible slots hold NaN.
Tensor cache(const AttentionProblem& p, const Source& source, std::string_view name, Side side,
             const PageTable& table) {
  const TensorSpec spec{p.io, {table.total, p.page, p.hkv, p.d}};
  std::vector<double> values = values_of(source, name, spec.shape, {side, 0});
  const auto slot_size = static_cast<std::size_t>(p.hkv * p.d);
  for (std::size_t n = 0; n < values.size(); ++n) {
    if (!table.visible[n / slot_size]) values[n] = std::numeric_limits<double>::quiet_NaN();
  }
  return formats::encode(spec, values, formats::Overflow::kSaturate);
}

}  // namespace

Tensors prefill_inputs(const AttentionProblem& p, const Source& source) {
  const auto cu_q = cumulative(lengths(p, source.stream("lengths_q"), p.sq, Kind::kNoQueries));
  const auto cu_k = cumulative(lengths(p, source.stream("lengths_k"), p.sk, Kind::kNoKeys));
  Tensors tensors;
  tensors["q"] = filled(source, "q", {p.io, {cu_q.back(), p.hq, p.d}});
  tensors["k"] = filled(source, "k", {p.io, {cu_k.back(), p.hkv, p.d}}, {Side::kWeight, 0});
  tensors["v"] = filled(source, "v", {p.io, {cu_k.back(), p.hkv, p.d}});
  tensors["cu_q"] = integers({p.b + 1}, cu_q);
  tensors["cu_k"] = integers({p.b + 1}, cu_k);
  add_sinks(tensors, p, source);
  return tensors;
}

Tensors decode_inputs(const AttentionProblem& p, const Source& source) {
  const auto seq_lens = lengths(p, source.stream("lengths_k"), p.sk, Kind::kNoKeys);
  const PageTable table = page_table(p, source, seq_lens);
  Tensors tensors;
  tensors["q"] = filled(source, "q", {p.io, {p.b, p.hq, p.d}});
  tensors["k_cache"] = cache(p, source, "k_cache", Side::kWeight, table);
  tensors["v_cache"] = cache(p, source, "v_cache", Side::kActivation, table);
  tensors["block_table"] = integers({p.b, p.pages()}, table.entries);
  tensors["seq_lens"] = integers({p.b}, seq_lens);
  add_sinks(tensors, p, source);
  return tensors;
}

}  // namespace plumbline::inputs
