#pragma once
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "device/abi/call.h"

/// Test helpers: problems with all their inputs.
namespace plumbline::device::test {

struct Layer {
  ExpertsProblem problem;
  Tensors inputs;
};

/// Codes and scales of the layer's weights, out of numbers in [-1, 1).
inline void add_quantised_weights(Layer& r, const std::vector<float>& w13,
                                  const std::vector<float>& w2) {
  const ExpertsProblem& p = r.problem;
  const std::int64_t rows = p.w13_rows();
  // e4m3: codes 0x30 to 0x3f, 0.5 to 1.875, of both signs.
  const bool integers = p.quant == "w8a8_int8";
  const auto codes = [&](const std::vector<float>& values) {
    std::vector<std::uint8_t> made;
    made.reserve(values.size());
    for (const float value : values) {
      const int whole = static_cast<int>(value * 128);
      made.push_back(static_cast<std::uint8_t>(integers ? whole : 0x30 + (whole & 0x8f)));
    }
    return made;
  };
  const DType type = integers ? DType::kI8 : DType::kE4m3fn;
  r.inputs["w13"] = plain_tensor<std::uint8_t>(type, {p.e, rows, p.h}, codes(w13));
  r.inputs["w2"] = plain_tensor<std::uint8_t>(type, {p.e, p.h, p.i}, codes(w2));
  const auto blocks = [](std::int64_t count) { return (count + 127) / 128; };
  const bool channel = p.quant != "fp8_block128";
  const std::vector<std::int64_t> s13 =
      channel ? std::vector{p.e, rows} : std::vector{p.e, blocks(rows), blocks(p.h)};
  const std::vector<std::int64_t> s2 =
      channel ? std::vector{p.e, p.h} : std::vector{p.e, blocks(p.h), blocks(p.i)};
  const float unit = integers ? 1.0F / 64.0F : 1.0F;
  const std::vector<float> scales = {0.0625F * unit, 0.03125F * unit, 0.125F * unit};
  r.inputs["w13_scale"] = f32_tensor(s13, scales);
  r.inputs["w2_scale"] = f32_tensor(s2, scales);
}

/// A layer of these sizes with rows an expert that fill more than one tile; expert e − 1 has none.
/// Dimensions t, h, i, e, k are those of `p`.
inline Layer layer_of(const ExpertsProblem& p) {
  Layer r;
  r.problem = p;
  const std::int64_t used = p.e > 1 ? p.e - 1 : 1;
  std::vector<std::int32_t> ids(static_cast<std::size_t>(p.t * p.k));
  for (int slot = 0; slot < p.t * p.k; ++slot) {
    ids[slot] = static_cast<std::int32_t>((slot * 7 + slot / 11) % p.e % used);
  }
  const std::int64_t rows = p.w13_rows();
  r.inputs["x"] = bf16_tensor({p.t, p.h}, mixed(p.t * p.h + 1, 1));
  r.inputs["topk_ids"] = i32_tensor({p.t, p.k}, ids);
  r.inputs["topk_weights"] = f32_tensor({p.t, p.k}, {0.25F, 0.5F, 0.75F, 1.0F, 0.125F});
  const std::vector<float> w13 = mixed(p.e * rows * p.h, 2);
  const std::vector<float> w2 = mixed(p.e * p.h * p.i, 3);
  if (p.quant != "bf16") {
    add_quantised_weights(r, w13, w2);
    return r;
  }
  r.inputs["w13"] = bf16_tensor({p.e, rows, p.h}, w13);
  r.inputs["w2"] = bf16_tensor({p.e, p.h, p.i}, w2);
  return r;
}

/// A layer with a ragged size everywhere.
inline Layer ragged(const std::string& quant, const std::string& activation) {
  ExpertsProblem p;
  p.quant = quant;
  p.activation = *Activation::from(activation);
  p.t = 37;
  p.h = 131;
  p.i = 70;
  p.e = 5;
  p.k = 3;
  return layer_of(p);
}

/// A prefill of f32 sequences with the given lengths.
struct Prefill {
  AttentionProblem problem;
  Tensors inputs;
};

inline Prefill prefill(const std::vector<std::int32_t>& cu_q, const std::vector<std::int32_t>& cu_k,
                       std::int64_t d) {
  Prefill c;
  AttentionProblem& p = c.problem;
  p.io = DType::kF32;
  p.b = static_cast<std::int64_t>(cu_q.size()) - 1;
  p.hq = 4;
  p.hkv = 2;
  p.d = d;
  const std::int64_t tq = cu_q.back();
  const std::int64_t tk = cu_k.back();
  c.inputs = {{"q", f32_tensor({tq, 4, d}, mixed(tq * 4 * d + 1, 1))},
              {"k", f32_tensor({tk, 2, d}, mixed(tk * 2 * d + 1, 2))},
              {"v", f32_tensor({tk, 2, d}, mixed(tk * 2 * d + 1, 3))},
              {"cu_q", i32_tensor({p.b + 1}, cu_q)},
              {"cu_k", i32_tensor({p.b + 1}, cu_k)}};
  return c;
}

/// Copies one key's row of all heads into its slot of a cache.
inline void copy_key(const std::vector<float>& from, std::int64_t key, std::vector<float>& cache,
                     std::int64_t slot, std::int64_t row) {
  std::copy_n(from.begin() + key * row, row, cache.begin() + slot * row);
}

/// A paged decode whose pages hold the keys of `prefill`; unused slots hold NaN.
inline Prefill paged(const Prefill& c, const std::vector<std::int32_t>& lengths) {
  Prefill d;
  AttentionProblem& p = d.problem;
  p = c.problem;
  p.decode = true;
  p.sq = 1;
  p.sk = *std::max_element(lengths.begin(), lengths.end());
  p.page = 8;
  const std::int64_t pages = p.pages();
  const std::int64_t row = p.hkv * p.d;
  const std::int64_t total = pages * p.b + 1;
  std::vector<std::int32_t> table(pages * p.b, -1);
  std::vector<float> k(total * p.page * row, std::numeric_limits<float>::quiet_NaN());
  std::vector<float> v = k;
  const auto k_in = values_of(c.inputs.at("k"));
  const auto v_in = values_of(c.inputs.at("v"));
  std::int64_t key = 0;
  for (std::int64_t s = 0; s < p.b; ++s) {
    for (std::int64_t j = 0; j < lengths[s]; ++j, ++key) {
      const std::int64_t at = s * pages + j / p.page;
      const std::int64_t page = total - 1 - at;  // pages in falling order
      table[at] = static_cast<std::int32_t>(page);
      copy_key(k_in, key, k, page * p.page + j % p.page, row);
      copy_key(v_in, key, v, page * p.page + j % p.page, row);
    }
  }
  d.inputs = {{"q", c.inputs.at("q")},
              {"k_cache", f32_tensor({total, p.page, p.hkv, p.d}, k)},
              {"v_cache", f32_tensor({total, p.page, p.hkv, p.d}, v)},
              {"block_table", i32_tensor({p.b, pages}, table)},
              {"seq_lens", i32_tensor({p.b}, lengths)}};
  return d;
}

}  // namespace plumbline::device::test
