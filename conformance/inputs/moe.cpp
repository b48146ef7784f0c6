#include <algorithm>
#include <bit>
#include <string>

#include "conformance/inputs/fill.h"
#include "reference/formats/codec.h"
#include "reference/formats/layout.h"
#include "reference/formats/quant_tensors.h"
#include "reference/spec/status.h"

namespace plumbline::inputs {
namespace {

/// Ids that tokens may choose: all, or (seed % 3 > 0) without a quarter of the experts.
std::vector<std::int32_t> candidates(const ExpertsProblem& p, const Source& source) {
  std::vector<std::int32_t> ids = permutation(source.stream("expert_order"), p.e);
  if (source.seed % 3 != 0) {
    const std::int64_t left_out = std::min(p.e / 4, p.e + p.z - p.k);
    ids.resize(static_cast<std::size_t>(p.e - left_out));
  }
  for (std::int64_t identity = 0; identity < p.z; ++identity) {
    ids.push_back(static_cast<std::int32_t>(p.e + identity));
  }
  return ids;
}

Tensor topk_ids(const ExpertsProblem& p, const Source& source) {
  const bool holes = source.seed % 3 == 2;
  const Stream choice = source.stream("topk_ids");
  const Stream hole = source.stream("topk_holes");
  std::vector<std::int32_t> pool = candidates(p, source);
  std::vector<std::int32_t> ids;
  for (std::int64_t token = 0; token < p.t; ++token) {
    for (std::int64_t slot = 0; slot < p.k; ++slot) {
      const auto n = static_cast<std::uint64_t>(token * p.k + slot);
      const auto first = static_cast<std::size_t>(slot);
      std::swap(pool[first], pool[first + choice.below(n, pool.size() - first)]);
      const bool empty = holes && (token % 5 == 4 || hole.below(n, 8) == 0);
      ids.push_back(empty ? -1 : pool[first]);
    }
  }
  return integers({p.t, p.k}, ids);
}

/// About 1/k each, with all bits of a float; powers of two where sums are to be exact.
Tensor topk_weights(const ExpertsProblem& p, const Source& source) {
  constexpr int kBits = 24;
  const Stream stream = source.stream("topk_weights");
  const int exponent = 1 - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(p.k)));
  std::vector<double> values;
  for (std::int64_t n = 0; n < p.t * p.k; ++n) {
    const auto at = static_cast<std::uint64_t>(n);
    const auto bits = static_cast<std::int64_t>(stream.below(at, (1U << kBits) - 1)) + 1;
    values.push_back(source.exact() ? Dyadic{1, -static_cast<int>(stream.below(at, 4))}.value()
                                    : Dyadic{bits, exponent - kBits}.value());
  }
  return formats::encode({DType::kF32, {p.t, p.k}}, values);
}

/// Scales between ½ and 2 times 2^exponent, with all bits of a float before they are rounded to
/// their type; powers of two where sums are to be exact.
Tensor weight_scales(const Source& source, const formats::QuantPart& part, int exponent) {
  constexpr int kBits = 23;
  const Stream stream = source.stream(part.name);
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(part.linear.elements()));
  for (std::int64_t n = 0; n < part.linear.elements(); ++n) {
    const std::uint64_t word = stream.word(static_cast<std::uint64_t>(n));
    const auto fraction = static_cast<std::int64_t>(source.exact() ? 0 : word >> (64 - kBits));
    const int half = static_cast<int>(word & 1U);
    const Dyadic scale{(std::int64_t{1} << kBits) + fraction, exponent - half - kBits};
    values.push_back(scale.value());
  }
  return formats::to_layout(formats::encode(part.linear, values), part.spec.layout);
}

constexpr int kMiddleCode = 8;

/// Zero points near the middle of four bits; the middle where sums are to be exact.
Tensor zero_points(const Source& source, const formats::QuantPart& part) {
  const Stream stream = source.stream(part.name);
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(part.linear.elements()));
  for (std::int64_t n = 0; n < part.linear.elements(); ++n) {
    const auto shift = static_cast<int>(stream.below(static_cast<std::uint64_t>(n), 5));
    values.push_back(source.exact() ? kMiddleCode : kMiddleCode - 2 + shift);
  }
  return formats::encode(part.linear, values);
}

/// Four-bit codes, one a byte: the value rounded, counted from the middle code, so that values near
/// 0 stay near it whatever the zero points are.
Tensor four_bit_codes(const Source& source, const formats::QuantPart& part, const Fill& fill) {
  constexpr double kLast = 15.0;
  std::vector<double> values = values_of(source, part.name, part.linear.shape, fill);
  for (double& value : values) {
    const double code = kMiddleCode + formats::round_to(DType::kI8, value);
    value = std::clamp(code, 0.0, kLast);
  }
  return formats::encode(part.linear, values);
}

/// How many powers of two codes are larger than unit values, so that they use the range of their
/// type; the scales take it back.
int spread_of(const formats::QuantForm& form) {
  if (form.bits <= 4) return 1;
  return form.code == DType::kI8 ? 5 : 4;
}

/// One tensor of a quantised weight, whose values are of the order of 2^exponent.
Tensor quantised_part(const Source& source, const formats::QuantForm& form,
                      const formats::QuantPart& part, int exponent) {
  const int spread = source.exact() ? 0 : spread_of(form);
  const Fill fill{Side::kWeight, spread};
  switch (part.role) {
    case formats::QuantRole::kScale:
      return weight_scales(source, part, form.global_scale ? 0 : exponent - spread);
    case formats::QuantRole::kGlobalScale:
      return weight_scales(source, part, exponent - spread);
    case formats::QuantRole::kZero:
      return zero_points(source, part);
    default:
      return form.code == DType::kU8 ? four_bit_codes(source, part, fill)
                                     : filled(source, part.name, part.linear, fill);
  }
}

/// A weight [e, rows, columns] and whatever the scheme puts beside it.
void add_weight(Tensors& tensors, const ExpertsProblem& p, const Source& source,
                const std::string& name, std::pair<std::int64_t, std::int64_t> size) {
  const formats::QuantForm form = formats::weight_form(*quant_from_name(p.quant));
  const int exponent = weight_exponent(source, size.second);
  if (form.whole_groups && size.second % form.block_cols != 0) {
    throw BadInput("inputs", "quant=" + p.quant,
                   "h and i are multiples of " + std::to_string(form.block_cols));
  }
  for (const auto& part : formats::quant_parts(form, name, {p.e, size.first, size.second})) {
    tensors[part.name] = form.scaled()
                             ? quantised_part(source, form, part, exponent)
                             : filled(source, part.name, part.linear, {Side::kWeight, exponent});
  }
}

/// Opens every gate so wide that silu(g) = g in fp32 and the layer stays exact: column 0 of x is 1,
/// and column 0 of the gate rows a power of two at least 20 + 8·√h, beyond the reach of the sum of
/// the other columns (variance about h).
void saturate_gates(const ExpertsProblem& p, Tensors& tensors) {
  int exponent = 5;
  while (std::int64_t{1} << (2 * (exponent - 1)) < 64 * p.h) ++exponent;
  std::vector<double> x = formats::decode(tensors["x"]);
  std::vector<double> w13 = formats::decode(tensors["w13"]);
  const std::int64_t rows = p.w13_rows();
  for (std::int64_t token = 0; token < p.t; ++token) x[static_cast<std::size_t>(token * p.h)] = 1.0;
  for (std::int64_t row = 0; row < p.e * rows; ++row) {
    if (row % rows < p.i) {
      w13[static_cast<std::size_t>(row * p.h)] = Dyadic{1, exponent}.value();
    }
  }
  tensors["x"] = formats::encode(tensors["x"].spec, x);
  tensors["w13"] = formats::encode(tensors["w13"].spec, w13);
}

}  // namespace

Tensors experts_inputs(const ExpertsProblem& p, const Source& source) {
  Tensors tensors;
  tensors["x"] = filled(source, "x", {p.io, {p.t, p.h}});
  add_weight(tensors, p, source, "w13", {p.w13_rows(), p.h});
  add_weight(tensors, p, source, "w2", {p.h, p.i});
  const bool silu = p.activation.kind == Activation::Kind::kSilu;
  const bool plain = quant_from_name(p.quant)->weight_scale == Granularity::kNone;
  if (source.exact() && silu && plain) saturate_gates(p, tensors);
  if (p.has_bias) {
    const Fill fill{Side::kWeight, source.exact() ? 0 : -1};
    tensors["w13_bias"] = filled(source, "w13_bias", {p.io, {p.e, p.w13_rows()}}, fill);
    tensors["w2_bias"] = filled(source, "w2_bias", {p.io, {p.e, p.h}}, fill);
  }
  tensors["topk_ids"] = topk_ids(p, source);
  tensors["topk_weights"] = topk_weights(p, source);
  return tensors;
}

Tensors route_inputs(const RouteProblem& p, const Source& source) {
  Tensors tensors;
  // Logits within ±48: scores differ, and none underflows in fp32, exp(−87) being its last normal.
  int exponent = 0;
  if (source.distribution->name == "heavy_tailed") exponent = -5;
  if (source.distribution->name == "outlier_channels") exponent = -3;
  tensors["router_logits"] =
      filled(source, "router_logits", {p.logits, {p.t, p.e}}, {Side::kActivation, exponent});
  if (p.has_bias) {
    tensors["correction_bias"] =
        filled(source, "correction_bias", {DType::kF32, {p.e}}, {Side::kWeight, exponent - 2});
  }
  return tensors;
}

}  // namespace plumbline::inputs
