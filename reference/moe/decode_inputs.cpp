#include <string>

#include "reference/formats/block_scale.h"
#include "reference/formats/codec.h"
#include "reference/moe/experts.h"
#include "reference/ops/required.h"
#include "reference/spec/ids.h"
#include "reference/spec/status.h"

namespace plumbline::moe {
namespace {

using ops::require;
using ops::required;
using ops::shape_text;

/// Slices [rows, cols] of a decoded tensor [experts, rows, cols].
struct Slices {
  std::vector<double> values;
  std::int64_t rows;
  std::int64_t cols;

  std::span<const double> at(std::int64_t expert) const {
    return std::span(values).subspan(static_cast<std::size_t>(expert * rows * cols),
                                     static_cast<std::size_t>(rows * cols));
  }
};

Slices slices_of(const Tensor& tensor) {
  return {formats::decode(tensor), tensor.spec.shape[1], tensor.spec.shape[2]};
}

std::vector<Matrix> plain_weights(const Tensor& weight, std::int64_t e) {
  const Slices slices = slices_of(weight);
  std::vector<Matrix> matrices;
  for (std::int64_t expert = 0; expert < e; ++expert) {
    matrices.push_back(ops::to_matrix(slices.at(expert), slices.rows, slices.cols));
  }
  return matrices;
}

std::vector<Matrix> block_scaled_weights(const Tensors& tensors, std::string_view name,
                                         std::int64_t e, std::int64_t block) {
  const Tensor& weight = required(tensors, name, 3);
  const std::string scale_name = std::string(name) + "_scale";
  const Tensor& scale = required(tensors, scale_name, 3);
  const Slices elements = slices_of(weight);
  const formats::BlockShape shape{elements.rows, elements.cols, block, block};
  require(scale.spec.shape[0] == weight.spec.shape[0] &&
              scale.spec.shape[1] == shape.scale_rows() &&
              scale.spec.shape[2] == shape.scale_cols(),
          scale_name,
          "one scale a block: " +
              shape_text({weight.spec.shape[0], shape.scale_rows(), shape.scale_cols()}),
          scale);
  const Slices scales = slices_of(scale);
  std::vector<Matrix> matrices;
  for (std::int64_t expert = 0; expert < e; ++expert) {
    matrices.push_back(
        ops::to_matrix(formats::dequantize(elements.at(expert), scales.at(expert), shape),
                       elements.rows, elements.cols));
  }
  return matrices;
}

/// One scale an output channel: row r of an expert's matrix is codes · scale[expert, r].
std::vector<Matrix> channel_scaled_weights(const Tensors& tensors, std::string_view name,
                                           std::int64_t e) {
  const Slices elements = slices_of(required(tensors, name, 3));
  const std::string scale_name = std::string(name) + "_scale";
  const Tensor& scale = required(tensors, scale_name, 2);
  const std::int64_t experts = required(tensors, name, 3).spec.shape[0];
  require(scale.spec.shape[0] == experts && scale.spec.shape[1] == elements.rows, scale_name,
          "one scale a channel: " + shape_text({experts, elements.rows}), scale);
  const std::vector<double> scales = formats::decode(scale);
  std::vector<Matrix> matrices;
  for (std::int64_t expert = 0; expert < e; ++expert) {
    Matrix matrix = ops::to_matrix(elements.at(expert), elements.rows, elements.cols);
    for (std::int64_t row = 0; row < elements.rows; ++row) {
      matrix.row(row) *= scales[static_cast<std::size_t>(expert * elements.rows + row)];
    }
    matrices.push_back(std::move(matrix));
  }
  return matrices;
}

QuantScheme offered_quant(std::string_view name) {
  const auto quant = quant_from_name(name);
  if (!quant) throw BadInput("", "quant", "no quant scheme \"" + std::string(name) + "\"");
  const bool plain = quant->weight_scale == Granularity::kNone;
  const bool block128 = quant->weight_scale == Granularity::kBlock && quant->weight_block == 128 &&
                        quant->weight == DType::kE4m3fn && quant->scale == DType::kF32;
  const bool channel = quant->weight_scale == Granularity::kChannel;
  if (!plain && !block128 && !channel) {
    throw BadInput("", "quant", "no reference yet for " + std::string(name));
  }
  return *quant;
}

std::vector<Matrix> weights(const Tensors& tensors, std::string_view name, std::int64_t e,
                            const QuantScheme& quant) {
  const Tensor& weight = required(tensors, name, 3);
  const std::string scale_name = std::string(name) + "_scale";
  if (quant.weight_scale == Granularity::kNone) {
    if (tensors.contains(scale_name)) {
      throw BadInput("", scale_name, "no scale where the weights are not quantised");
    }
    require(format_of(weight.spec.dtype).bits > 8, name, "is not quantised", weight);
    return plain_weights(weight, e);
  }
  require(weight.spec.dtype == quant.weight, name, "is " + std::string(name_of(quant.weight)),
          weight);
  if (quant.weight_scale == Granularity::kChannel) return channel_scaled_weights(tensors, name, e);
  return block_scaled_weights(tensors, name, e, quant.weight_block);
}

Matrix bias(const Tensors& tensors, std::string_view name, std::int64_t e, std::int64_t width) {
  if (!tensors.contains(name)) return {};
  const Tensor& tensor = required(tensors, name, 2);
  require(tensor.spec.shape[0] >= e && tensor.spec.shape[1] == width, name,
          "is " + shape_text({e, width}), tensor);
  return ops::to_matrix(tensor, tensor.spec.shape[0], width).topRows(e);
}

void read_sizes(const Tensors& tensors, ExpertInputs& in) {
  const Tensor& x = required(tensors, "x", 2);
  const Tensor& w13 = required(tensors, "w13", 3);
  const Tensor& w2 = required(tensors, "w2", 3);
  const Tensor& ids = required(tensors, "topk_ids", 2);
  const Tensor& topk_weights = required(tensors, "topk_weights", 2);
  in.t = x.spec.shape[0];
  in.h = x.spec.shape[1];
  in.e = w2.spec.shape[0];
  in.i = w2.spec.shape[2];
  in.k = ids.spec.shape[1];
  require(w2.spec.shape[1] == in.h, "w2", "is [e, h, i] with h of x = " + std::to_string(in.h), w2);
  const std::int64_t rows = w13.spec.shape[1];
  require(
      w13.spec.shape[0] >= in.e && w13.spec.shape[2] == in.h && (rows == in.i || rows == 2 * in.i),
      "w13", "is " + shape_text({in.e, 2 * in.i, in.h}) + " or " + shape_text({in.e, in.i, in.h}),
      w13);
  require(ids.spec.shape[0] == in.t, "topk_ids", "has the t of x = " + std::to_string(in.t), ids);
  require(topk_weights.spec.shape == ids.spec.shape, "topk_weights",
          "has the shape of topk_ids, " + shape_text({in.t, in.k}), topk_weights);
}

}  // namespace

ExpertInputs decode_inputs(const Tensors& tensors, std::string_view quant) {
  const QuantScheme scheme = offered_quant(quant);
  ExpertInputs in;
  read_sizes(tensors, in);
  in.x = ops::to_matrix(required(tensors, "x", 2), in.t, in.h);
  in.io = required(tensors, "x", 2).spec.dtype;
  in.w13 = weights(tensors, "w13", in.e, scheme);
  in.w2 = weights(tensors, "w2", in.e, scheme);
  in.w13_bias = bias(tensors, "w13_bias", in.e, required(tensors, "w13", 3).spec.shape[1]);
  in.w2_bias = bias(tensors, "w2_bias", in.e, in.h);
  in.ids = ops::required_integers(tensors, "topk_ids", 2);
  in.topk_weights = ops::to_matrix(required(tensors, "topk_weights", 2), in.t, in.k);
  return in;
}

}  // namespace plumbline::moe
