#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "reference/formats/block_scale.h"
#include "reference/formats/scale_rule.h"
#include "reference/spec/ids.h"
#include "reference/spec/tensor.h"

namespace plumbline::formats {

/// One side of a quant scheme, its weights or its activations: what codes there are and what scales
/// them. A value is (code − zero point) · scale · global scale.
struct QuantForm {
  DType code = DType::kBf16;
  int bits = 0;  ///< significant bits of a code
  Granularity granularity = Granularity::kNone;
  std::int64_t block_rows = 0, block_cols = 0;  ///< kBlock only
  DType scale = DType::kF32;                    ///< type of one scale, before it is packed
  Layout scale_layout = Layout::kLinear;
  ScaleRule rule = ScaleRule::kNone;
  int zero_point = 0;
  bool zero_points = false;
  bool global_scale = false;
  bool whole_groups = false;  ///< MX, NVFP4, four-bit weights: no group is shorter than the others

  bool scaled() const { return granularity != Granularity::kNone; }
  /// The largest code counted from its zero point: 127 (i8), 7 (four bits), the largest finite
  /// value of a float; with zero points the distance of the two extreme codes, 15.
  double largest() const;
  /// How a matrix falls into what shares a scale; one block where nothing is scaled.
  BlockShape blocks(std::int64_t rows, std::int64_t cols) const;
  ScaleForm scale_form() const { return {rule, scale, largest()}; }
};

QuantForm weight_form(const QuantScheme& scheme);
/// Activations [tokens, width]: one scale a token, a group of a token, or the tensor.
QuantForm activation_form(const QuantScheme& scheme);

/// A quantised matrix. Codes [rows, cols], one a byte or wider; scales and zero points
/// [scale_rows, scale_cols], linear. Nothing is scaled: `scales` has no elements.
struct Quantized {
  Tensor codes;
  Tensor scales;
  std::optional<Tensor> zeros;  ///< u8
  double global = 1.0;          ///< an fp32 number
};

/// A row-major matrix of doubles that somebody else owns.
struct MatrixOf {
  std::span<const double> values;
  std::int64_t rows = 0, cols = 0;
};

/// Quantises group by group. Values, quotients and scales are fp32 numbers:
///   scale = rule(amax)                                       (scale_rule.h)
///   code  = Q(clamp(value / (scale · global), ±largest))     nearest, ties to even
/// With a zero point that is fixed it is added to the code. With zero points of their own (AWQ,
/// GPTQ; range = max(0, high) − min(0, low) takes the place of amax):
///   zero = clamp(nearest(−min(0, low) / scale), 0, 15), code = clamp(nearest(value/scale) + zero,
///   0, 15).
/// A group that holds NaN or a value beyond fp32 has scale NaN and codes of value 0, so all of it
/// is NaN; under a global scale that is so for the whole tensor. Throws ContractViolation where the
/// size contradicts the shape or groups do not divide it.
Quantized quantize(const MatrixOf& matrix, const QuantForm& form);

/// What is left of a quantised matrix once its tensors are decoded.
struct DecodedCodes {
  std::vector<double> codes;   ///< [rows, cols]
  std::vector<double> scales;  ///< [scale_rows, scale_cols]
  std::vector<double> zeros;   ///< the same, or empty: `zero_point` for all
  double zero_point = 0.0;
  double global = 1.0;
};

/// The values [rows, cols], exact: a narrow code times a scale of at most 24 bits, and of a few
/// bits where there is a global scale, fits a double. Throws ContractViolation where a size does
/// not fit.
std::vector<double> dequantize(DecodedCodes decoded, const BlockShape& blocks);
std::vector<double> dequantize(const Quantized& quantized, const QuantForm& form);

}  // namespace plumbline::formats
