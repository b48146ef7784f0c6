#include "reference/formats/quantize.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "reference/formats/codec.h"
#include "reference/spec/status.h"

namespace plumbline::formats {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

int bits_of(DType code, int stated) { return stated > 0 ? stated : format_of(code).bits; }

/// What the elements of one group span; zero is always inside.
struct Range {
  double low = 0.0;
  double high = 0.0;
  bool finite = true;

  void add(double value) {
    finite = finite && std::isfinite(value);
    low = std::min(low, value);
    high = std::max(high, value);
  }
  /// What the scale is made of; NaN where there is none.
  double magnitude(const QuantForm& form) const {
    if (!finite) return kNan;
    if (!form.zero_points) return std::max(-low, high);
    return round_to(DType::kF32, high - low);
  }
};

/// How the codes of one group are made.
struct Steps {
  double step = 1.0;  ///< scale · global, an fp32 number; NaN: no codes
  double zero = 0.0;
};

void require_shape(const MatrixOf& matrix, const QuantForm& form) {
  const bool fits = matrix.rows >= 0 && matrix.cols >= 0 &&
                    std::ssize(matrix.values) == matrix.rows * matrix.cols;
  const bool whole = !form.whole_groups || matrix.cols % form.block_cols == 0;
  if (fits && whole) return;
  std::string text = "quantize: " + std::to_string(matrix.values.size()) + " values for [";
  text += std::to_string(matrix.rows) + ", " + std::to_string(matrix.cols) + "] in groups of ";
  throw ContractViolation(text + std::to_string(form.block_cols));
}

std::size_t block_of(const BlockShape& blocks, std::size_t element) {
  const auto at = static_cast<std::int64_t>(element);
  const std::int64_t row = at / blocks.cols / blocks.block_rows;
  return static_cast<std::size_t>(row * blocks.scale_cols() + at % blocks.cols / blocks.block_cols);
}

std::vector<Range> ranges_of(const MatrixOf& matrix, const BlockShape& blocks) {
  std::vector<Range> ranges(static_cast<std::size_t>(blocks.scale_rows() * blocks.scale_cols()));
  for (std::size_t n = 0; n < matrix.values.size(); ++n) {
    ranges[block_of(blocks, n)].add(round_to(DType::kF32, matrix.values[n]));
  }
  return ranges;
}

double global_of(const std::vector<Range>& ranges, const QuantForm& form) {
  double most = 0.0;
  for (const Range& range : ranges) {
    const double magnitude = range.magnitude(form);
    most = magnitude <= most ? most : magnitude;
    if (std::isnan(most)) break;
  }
  return global_scale_from_amax(form.scale_form(), most);
}

double quotient(double value, double step) {
  return static_cast<float>(round_to(DType::kF32, value)) / static_cast<float>(step);
}

Steps steps_of(const Range& range, const QuantForm& form, double scale, double global) {
  Steps steps{scale, static_cast<double>(form.zero_point)};
  if (form.global_scale) steps.step = static_cast<float>(scale) * static_cast<float>(global);
  if (form.zero_points && !std::isnan(scale)) {
    steps.zero = std::clamp(std::nearbyint(quotient(-range.low, scale)), 0.0, form.largest());
  }
  return steps;
}

/// The value of the code for `value`, to be encoded in the type of the codes.
double code_of(double value, const Steps& steps, const QuantForm& form) {
  if (std::isnan(steps.step)) return steps.zero;
  const double most = form.largest();
  const double q = std::clamp(quotient(value, steps.step), -most, most);
  if (format_of(form.code).is_float()) return q;
  const double code = std::nearbyint(q) + steps.zero;
  return form.zero_points ? std::clamp(code, 0.0, most) : code;
}

Quantized plain(const MatrixOf& matrix, const QuantForm& form) {
  return {encode({form.code, {matrix.rows, matrix.cols}}, matrix.values),
          Tensor::zeros({form.scale, {0, 0}}),
          {},
          1.0};
}

}  // namespace

double QuantForm::largest() const {
  const Format& format = format_of(code);
  if (format.is_float()) return format.max_finite();
  return std::ldexp(1.0, zero_points ? bits : bits - 1) - 1.0;
}

BlockShape QuantForm::blocks(std::int64_t rows, std::int64_t cols) const {
  const std::int64_t all_rows = std::max<std::int64_t>(1, rows);
  const std::int64_t all_cols = std::max<std::int64_t>(1, cols);
  if (granularity == Granularity::kBlock) return {rows, cols, block_rows, block_cols};
  if (granularity == Granularity::kChannel || granularity == Granularity::kToken) {
    return {rows, cols, 1, all_cols};
  }
  return {rows, cols, all_rows, all_cols};
}

QuantForm weight_form(const QuantScheme& scheme) {
  const bool packed = scheme.scale_layout == Layout::kPackedInt32;
  return {.code = scheme.weight,
          .bits = bits_of(scheme.weight, scheme.weight_bits),
          .granularity = scheme.weight_scale,
          .block_rows = scheme.weight_block_rows,
          .block_cols = scheme.weight_block,
          .scale = packed ? DType::kE8m0fnu : scheme.scale,
          .scale_layout = scheme.scale_layout,
          .rule = scheme.weight_rule,
          .zero_point = scheme.zero_point,
          .zero_points = scheme.zero_points,
          .global_scale = scheme.global_scale,
          .whole_groups = scheme.weight_block_rows == 1};
}

QuantForm activation_form(const QuantScheme& scheme) {
  return {.code = scheme.activation,
          .bits = bits_of(scheme.activation, 0),
          .granularity = scheme.activation_scale,
          .block_rows = 1,
          .block_cols = scheme.activation_group,
          .scale = scheme.activation_scale_type,
          .rule = scheme.activation_rule,
          .global_scale = scheme.activation_rule == ScaleRule::kNvfp4,
          .whole_groups = scheme.weight_block_rows == 1 && scheme.activation_group > 0};
}

Quantized quantize(const MatrixOf& matrix, const QuantForm& form) {
  require_shape(matrix, form);
  if (!form.scaled()) return plain(matrix, form);
  const BlockShape blocks = form.blocks(matrix.rows, matrix.cols);
  const std::vector<Range> ranges = ranges_of(matrix, blocks);
  const double global = global_of(ranges, form);
  std::vector<double> scales, zeros;
  std::vector<Steps> steps;
  scales.reserve(ranges.size());
  zeros.reserve(ranges.size());
  steps.reserve(ranges.size());
  for (const Range& range : ranges) {
    scales.push_back(scale_from_amax(form.scale_form(), range.magnitude(form), global));
    steps.push_back(steps_of(range, form, scales.back(), global));
    zeros.push_back(steps.back().zero);
  }
  std::vector<double> codes(matrix.values.size());
  for (std::size_t n = 0; n < codes.size(); ++n) {
    codes[n] = code_of(matrix.values[n], steps[block_of(blocks, n)], form);
  }
  const std::vector<std::int64_t> shape = {blocks.scale_rows(), blocks.scale_cols()};
  Quantized result{encode({form.code, {matrix.rows, matrix.cols}}, codes, Overflow::kSaturate),
                   encode({form.scale, shape}, scales),
                   {},
                   global};
  if (form.zero_points) result.zeros = encode({DType::kU8, shape}, zeros);
  return result;
}

std::vector<double> dequantize(DecodedCodes decoded, const BlockShape& blocks) {
  std::vector<double>& codes = decoded.codes;
  if (!decoded.zeros.empty() && decoded.zeros.size() != decoded.scales.size()) {
    throw ContractViolation("dequantize: " + std::to_string(decoded.zeros.size()) +
                            " zero points for " + std::to_string(decoded.scales.size()) +
                            " scales");
  }
  for (std::size_t n = 0; n < codes.size() && !decoded.zeros.empty(); ++n) {
    codes[n] -= decoded.zeros.at(block_of(blocks, n));
  }
  if (decoded.zero_point != 0.0) {
    for (double& code : codes) code -= decoded.zero_point;
  }
  std::vector<double> values = dequantize(codes, decoded.scales, blocks);
  if (decoded.global != 1.0) {
    for (double& value : values) value *= decoded.global;
  }
  return values;
}

std::vector<double> dequantize(const Quantized& quantized, const QuantForm& form) {
  if (!form.scaled()) return decode(quantized.codes);
  const auto& size = quantized.codes.spec.shape;
  DecodedCodes decoded{decode(quantized.codes),
                       decode(quantized.scales),
                       {},
                       static_cast<double>(form.zero_point),
                       quantized.global};
  if (quantized.zeros) decoded.zeros = decode(*quantized.zeros);
  return dequantize(std::move(decoded), form.blocks(size.at(0), size.at(1)));
}

}  // namespace plumbline::formats
