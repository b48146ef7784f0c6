#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "reference/ops/matrix.h"
#include "reference/spec/problems.h"
#include "reference/spec/tensor.h"

namespace plumbline::attention {

/// One query head of one sequence, with the keys and values that it reads.
struct HeadInputs {
  Matrix q;                                   ///< [sq, d]
  Matrix k;                                   ///< [sk, d]
  Matrix v;                                   ///< [sk, dv]
  double scale = 1.0;                         ///< multiplies q·kᵀ
  double softcap = 0.0;                       ///< s ↦ cap·tanh(s / cap) after the scale; 0: none
  std::optional<double> sink = std::nullopt;  ///< one more logit that only enlarges the denominator
  Mask mask = Mask::kFull;
  std::int64_t w = 0;     ///< sliding window: keys a row sees at most, its own position included
  bool top_left = false;  ///< row r stands at key r instead of r + sk − sq

  /// Keys [first, last) that row r sees; empty where first = last. With p the row's position: full
  /// [0, sk); causal j ≤ p; sliding p − w < j ≤ p.
  std::pair<std::int64_t, std::int64_t> visible(std::int64_t row) const;
};

struct HeadOutputs {
  Matrix out;               ///< [sq, dv]
  std::vector<double> lse;  ///< [sq], natural logarithm, sink included
};

/// out[r] = Σ_j p[r, j]·v[j], p = softmax over the visible keys of softcap(scale·q[r]·k[j]), with
/// the sink in the denominator; lse[r] = log of that denominator. A row that sees no key gives
/// out = 0 and lse = −inf (= sink where there is one). Masks select: what is not visible takes part
/// in nothing, NaN there included. Throws ContractViolation where shapes do not fit.
HeadOutputs attend(const HeadInputs& inputs);

/// Pre-softmax logits of one row over its visible keys: scale, then softcap.
std::vector<double> visible_logits(const HeadInputs& inputs, std::int64_t row);

/// One (sequence, head) of a case: out row of local row r is (first_row + r, head).
struct Head {
  HeadInputs inputs;
  std::int64_t head = 0;
  std::int64_t first_row = 0;
};

/// All heads of a case of attention.prefill (varlen) or attention.decode (paged), as
/// AttentionProblem describes its tensors; sequences in order, heads inside. Query head n reads kv
/// head n / (hq / hkv). Throws BadInput naming the tensor and the rule where one is missing or
/// contradicts another: offsets that fall or leave the tensor, a page that does not exist.
std::vector<Head> gather(const AttentionProblem& problem, const Tensors& tensors);

/// All heads of dense tensors q [b, hq, sq, d], k [b, hkv, sk, d], v [b, hkv, sk, dv], sinks [hq]
/// where present: b·hq entries, heads inside sequences, each with scale, softcap, mask, w and
/// top_left of `settings`. Throws BadInput as above.
std::vector<HeadInputs> gather_dense(const Tensors& tensors, const HeadInputs& settings);

}  // namespace plumbline::attention
