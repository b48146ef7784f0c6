#include <algorithm>
#include <string>

#include "reference/formats/quant_tensors.h"
#include "reference/moe/experts.h"
#include "reference/ops/required.h"
#include "reference/spec/ids.h"
#include "reference/spec/status.h"

namespace plumbline::moe {
namespace {

using ops::require;
using ops::required;
using ops::shape_text;

QuantScheme scheme_of(std::string_view name) {
  const auto quant = quant_from_name(name);
  if (!quant) throw BadInput("", "quant", "no quant scheme \"" + std::string(name) + "\"");
  return *quant;
}

/// The first e matrices of a weight [experts, rows, cols], of any scheme.
std::vector<Matrix> weights(const Tensors& tensors, std::string_view name, std::int64_t e,
                            const formats::QuantForm& form) {
  const auto& shape = required(tensors, name, 3).spec.shape;
  const std::vector<double> values = formats::dequantize(tensors, name, form);
  const std::int64_t each = shape[1] * shape[2];
  std::vector<Matrix> matrices;
  matrices.reserve(static_cast<std::size_t>(std::max<std::int64_t>(0, e)));
  for (std::int64_t expert = 0; expert < e; ++expert) {
    const auto slice = std::span(values).subspan(static_cast<std::size_t>(expert * each),
                                                 static_cast<std::size_t>(each));
    matrices.push_back(ops::to_matrix(slice, shape[1], shape[2]));
  }
  return matrices;
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
  const formats::QuantForm form = formats::weight_form(scheme_of(quant));
  ExpertInputs in;
  read_sizes(tensors, in);
  in.x = ops::to_matrix(required(tensors, "x", 2), in.t, in.h);
  in.io = required(tensors, "x", 2).spec.dtype;
  in.w13 = weights(tensors, "w13", in.e, form);
  in.w2 = weights(tensors, "w2", in.e, form);
  in.w13_bias = bias(tensors, "w13_bias", in.e, required(tensors, "w13", 3).spec.shape[1]);
  in.w2_bias = bias(tensors, "w2_bias", in.e, in.h);
  in.ids = ops::required_integers(tensors, "topk_ids", 2);
  in.topk_weights = ops::to_matrix(required(tensors, "topk_weights", 2), in.t, in.k);
  return in;
}

}  // namespace plumbline::moe
