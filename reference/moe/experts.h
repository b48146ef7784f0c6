#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "reference/ops/matrix.h"
#include "reference/spec/problems.h"
#include "reference/spec/tensor.h"

namespace plumbline::moe {

/// The inputs of an expert layer as doubles, weights dequantised.
struct ExpertInputs {
  std::int64_t t = 0, h = 0, i = 0, e = 0, k = 0;
  Matrix x;                       ///< [t, h]
  std::vector<Matrix> w13;        ///< e × [2i, h], gate rows then up rows; not gated: e × [i, h]
  std::vector<Matrix> w2;         ///< e × [h, i]
  Matrix w13_bias;                ///< [e, 2i] or [e, i]; 0×0: none
  Matrix w2_bias;                 ///< [e, h]; 0×0: none
  std::vector<std::int32_t> ids;  ///< t·k; negative: no expert; ≥ e: identity
  Matrix topk_weights;            ///< [t, k]
  /// kInput: row (t, slot) of an expert's input is fp32(topk_weights[t, slot] · x[t]) rounded to
  /// the type of x, and its result is not weighted again. Identity experts are weighted as ever.
  WeightOn weight_on = WeightOn::kOutput;
  DType io = DType::kBf16;  ///< type of x
};

/// Decodes the tensors x, w13, w2, topk_ids, topk_weights, and w13_bias, w2_bias where present; e
/// is the experts of w2, and w13 and biases may hold more (unused: identity experts). Weights of
/// every quant scheme are read, with the scales, zero points and global scales that
/// formats/quant_tensors.h lists for it. Throws BadInput naming the tensor and the rule where one
/// is missing, has the wrong type, contradicts another or holds codes or scales that are no
/// numbers, and for a quant that does not exist.
ExpertInputs decode_inputs(const Tensors& tensors, std::string_view quant);

/// out[t] = scale · Σ_k topk_weights[t, k] · expert(ids[t, k])(x[t]), where expert(x) =
/// W2·act(W13·x + b13) + b2, or x itself for an identity expert. A token without experts gives
/// zeros. Tokens are gathered by expert, so every product is one of matrices. Returns [t, h].
/// Throws BadInput where w13 has the wrong number of rows for the activation.
Matrix experts(const ExpertInputs& inputs, const Activation& activation, double scale = 1.0);

/// The input rows of one expert, [positions, h]: x of each position's token, weighted where
/// `weight_on` says so.
Matrix gathered_rows(const ExpertInputs& inputs, const std::vector<std::int64_t>& positions);

/// The (token, slot) pairs of each expert: e lists of positions in `ids`, ascending.
std::vector<std::vector<std::int64_t>> positions_by_expert(const ExpertInputs& inputs);

}  // namespace plumbline::moe
