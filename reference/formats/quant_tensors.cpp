#include "reference/formats/quant_tensors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "reference/formats/codec.h"
#include "reference/formats/layout.h"

namespace plumbline::formats {
namespace {

constexpr auto kSuffixes =
    std::to_array<std::string_view>({"", "_scale", "_zero", "_global_scale"});
constexpr auto kRoles = std::to_array<QuantRole>(
    {QuantRole::kCodes, QuantRole::kScale, QuantRole::kZero, QuantRole::kGlobalScale});

using Shape = std::vector<std::int64_t>;

Shape leading(const Shape& shape) {
  if (shape.size() == 2) return {1};
  return {shape.begin(), shape.end() - 2};
}

TensorSpec linear_scale_spec(const QuantForm& form, const Shape& shape) {
  TensorSpec spec{form.scale, {shape.begin(), shape.end() - 2}};
  const BlockShape blocks = form.blocks(shape[shape.size() - 2], shape.back());
  switch (form.granularity) {
    case Granularity::kBlock:
      spec.shape.push_back(blocks.scale_rows());
      spec.shape.push_back(blocks.scale_cols());
      break;
    case Granularity::kChannel:
    case Granularity::kToken:
      spec.shape.push_back(blocks.scale_rows());
      break;
    default:
      spec.shape = leading(shape);
  }
  return spec;
}

bool is_operand(const Shape& shape) { return shape.size() >= 2 && sizes_fit(shape); }

QuantBreach breach(Status status, const QuantPart& part, std::string rule, std::string found) {
  return {status, part.name, std::move(rule), std::move(found)};
}

bool is_wide_float(DType dtype) { return format_of(dtype).is_float() && format_of(dtype).bits > 8; }

/// Type, tag and shape of a tensor that is there.
std::optional<QuantBreach> check_spec(const Tensor& tensor, const QuantPart& part,
                                      const QuantForm& form) {
  const TensorSpec& got = tensor.spec;
  const bool plain = part.role == QuantRole::kCodes && !form.scaled();
  if (plain ? !is_wide_float(got.dtype) : got.dtype != part.spec.dtype) {
    const std::string rule =
        plain ? "is not quantised" : "is " + std::string(name_of(part.spec.dtype));
    return breach(Status::kDtype, part, rule, got.text());
  }
  if (got.layout != part.spec.layout) {
    return breach(Status::kLayout, part, "has layout " + std::string(name_of(part.spec.layout)),
                  std::string(name_of(got.layout)));
  }
  if (got.block != 0 && (part.role != QuantRole::kScale || got.block != form.block_cols)) {
    return breach(Status::kLayout, part, "has groups of " + std::to_string(form.block_cols),
                  "in groups of " + std::to_string(got.block));
  }
  if (got.shape != part.spec.shape) {
    return breach(Status::kShape, part, "is " + part.spec.text(), got.text());
  }
  if (static_cast<std::int64_t>(tensor.data.size()) != got.bytes()) {
    return breach(Status::kShape, part, "has the bytes of its shape",
                  std::to_string(tensor.data.size()) + " bytes, " + got.text());
  }
  return std::nullopt;
}

std::optional<QuantBreach> check_whole_groups(const Tensor& codes, const QuantPart& part,
                                              const QuantForm& form) {
  if (!form.whole_groups || codes.spec.shape.back() % form.block_cols == 0) return std::nullopt;
  return breach(Status::kShape, part,
                "has columns in whole groups of " + std::to_string(form.block_cols),
                codes.spec.text());
}

/// The tensor without its layout.
Tensor linear(const Tensor& tensor, const QuantPart& part) {
  if (tensor.spec.layout == Layout::kLinear) return tensor;
  return from_layout(tensor, part.linear);
}

std::optional<QuantBreach> check_scales(const Tensor& scales, const QuantPart& part) {
  const std::vector<double> values = decode(scales);
  const auto bad = std::find_if(values.begin(), values.end(), [](double value) {
    return !(value > 0.0 && std::isfinite(value));
  });
  if (bad == values.end()) return std::nullopt;
  std::string found = std::to_string(*bad) + " at ";
  return breach(Status::kUnsupported, part, "holds finite positive numbers",
                found + std::to_string(bad - values.begin()));
}

/// Which bytes are codes that stand for a number.
std::array<bool, 256> known_codes(DType dtype, int bits) {
  std::array<bool, 256> known{};
  for (std::size_t code = 0; code < known.size(); ++code) {
    known[code] = (code >> bits) == 0 && std::isfinite(decode(dtype, code));
  }
  return known;
}

std::optional<QuantBreach> check_codes(const Tensor& codes, const QuantPart& part, int bits) {
  const std::array<bool, 256> known = known_codes(codes.spec.dtype, bits);
  const auto bytes = codes.as<std::uint8_t>();
  const auto bad =
      std::find_if(bytes.begin(), bytes.end(), [&](std::uint8_t code) { return !known[code]; });
  if (bad == bytes.end()) return std::nullopt;
  std::string found = "code " + std::to_string(*bad) + " at ";
  return breach(Status::kUnsupported, part,
                "holds numbers of " + std::to_string(bits) + " bits, no NaN or infinity",
                found + std::to_string(bad - bytes.begin()));
}

std::optional<QuantBreach> check_values(const Tensor& tensor, const QuantPart& part,
                                        const QuantForm& form) {
  switch (part.role) {
    case QuantRole::kScale:
      return check_scales(linear(tensor, part), part);
    case QuantRole::kGlobalScale:
      return check_scales(tensor, part);
    default:
      return form.scaled() ? check_codes(tensor, part, form.bits) : std::nullopt;
  }
}

QuantBreach missing(std::string name) {
  return {Status::kMissing, std::move(name), "this tensor is missing", ""};
}

std::optional<QuantBreach> check_presence(const Tensors& tensors, std::string_view name,
                                          const std::vector<QuantPart>& parts) {
  for (const QuantRole role : kRoles) {
    const std::string full = std::string(name) + std::string(suffix_of(role));
    const bool wanted = std::any_of(parts.begin(), parts.end(),
                                    [&](const QuantPart& part) { return part.name == full; });
    if (wanted == tensors.contains(full)) continue;
    if (wanted) return missing(full);
    return QuantBreach{Status::kUnexpected, full, "is no part of this scheme", ""};
  }
  return std::nullopt;
}

const Tensor& tensor_of(const Tensors& tensors, const QuantPart& part) {
  return tensors.find(part.name)->second;
}

/// The decoded values of every part, empty where the form has none, and how many slices they are.
struct Parts {
  std::array<std::vector<double>, kRoles.size()> values;
  std::int64_t slices = 1;

  const std::vector<double>& of(QuantRole role) const {
    return values[static_cast<std::size_t>(role)];
  }
};

Parts decoded_parts(const Tensors& tensors, const std::vector<QuantPart>& parts) {
  const Shape& shape = parts.front().spec.shape;
  Parts decoded;
  for (std::size_t n = 0; n + 2 < shape.size(); ++n) decoded.slices *= shape[n];
  for (const QuantPart& part : parts) {
    decoded.values[static_cast<std::size_t>(part.role)] =
        decode(linear(tensor_of(tensors, part), part));
  }
  return decoded;
}

/// Slice n of a part; nothing where the form has no such part.
std::vector<double> slice_of(const std::vector<double>& values, std::int64_t n,
                             std::int64_t slices) {
  const std::ptrdiff_t each = std::ssize(values) / slices;
  return {values.begin() + each * n, values.begin() + each * (n + 1)};
}

}  // namespace

Refusal QuantBreach::refusal() const {
  return {status, name + " " + rule, found.empty() ? name : name + " is " + found};
}

BadInput QuantBreach::bad_input() const {
  return {"", name, found.empty() ? rule : rule + ", not " + found};
}

std::string_view suffix_of(QuantRole role) { return kSuffixes[static_cast<std::size_t>(role)]; }

std::vector<QuantPart> quant_parts(const QuantForm& form, std::string_view name,
                                   const std::vector<std::int64_t>& shape) {
  if (!is_operand(shape)) {
    throw ContractViolation("quant_parts: " + TensorSpec{form.code, shape}.text());
  }
  std::vector<QuantPart> parts;
  const auto add = [&](QuantRole role, const TensorSpec& linear, Layout layout = Layout::kLinear) {
    parts.push_back({role, std::string(name) + std::string(suffix_of(role)),
                     laid_out(linear, layout).value(), linear});
  };
  add(QuantRole::kCodes, {form.code, shape});
  if (!form.scaled()) return parts;
  const TensorSpec scales = linear_scale_spec(form, shape);
  add(QuantRole::kScale, scales, form.scale_layout);
  if (form.zero_points) add(QuantRole::kZero, {DType::kU8, scales.shape});
  if (form.global_scale) add(QuantRole::kGlobalScale, {DType::kF32, leading(shape)});
  return parts;
}

std::optional<QuantBreach> check_quantized(const Tensors& tensors, std::string_view name,
                                           const QuantForm& form) {
  const auto codes = tensors.find(name);
  if (codes == tensors.end()) return missing(std::string(name));
  const std::vector<std::int64_t>& shape = codes->second.spec.shape;
  if (!is_operand(shape)) {
    return breach(Status::kShape, {QuantRole::kCodes, std::string(name), {}, {}},
                  "has two dimensions or more, of sizes that memory holds",
                  codes->second.spec.text());
  }
  const std::vector<QuantPart> parts = quant_parts(form, name, shape);
  if (auto found = check_presence(tensors, name, parts)) return found;
  for (const QuantPart& part : parts) {
    if (auto found = check_spec(tensor_of(tensors, part), part, form)) return found;
  }
  if (auto found = check_whole_groups(codes->second, parts.front(), form)) return found;
  for (const QuantPart& part : parts) {
    if (auto found = check_values(tensor_of(tensors, part), part, form)) return found;
  }
  return std::nullopt;
}

std::vector<double> dequantize(const Tensors& tensors, std::string_view name,
                               const QuantForm& form) {
  if (const auto found = check_quantized(tensors, name, form)) throw found->bad_input();
  const Shape& shape = tensors.find(name)->second.spec.shape;
  Parts parts = decoded_parts(tensors, quant_parts(form, name, shape));
  if (!form.scaled()) return std::move(parts.values.front());
  const BlockShape blocks = form.blocks(shape[shape.size() - 2], shape.back());
  const auto slice_n = [&](QuantRole role, std::int64_t n) {
    return slice_of(parts.of(role), n, parts.slices);
  };
  std::vector<double> values;
  values.reserve(parts.of(QuantRole::kCodes).size());
  for (std::int64_t n = 0; n < parts.slices; ++n) {
    DecodedCodes decoded{slice_n(QuantRole::kCodes, n), slice_n(QuantRole::kScale, n),
                         slice_n(QuantRole::kZero, n), static_cast<double>(form.zero_point)};
    if (form.global_scale) decoded.global = slice_n(QuantRole::kGlobalScale, n).front();
    const std::vector<double> slice = dequantize(std::move(decoded), blocks);
    values.insert(values.end(), slice.begin(), slice.end());
  }
  return values;
}

}  // namespace plumbline::formats
