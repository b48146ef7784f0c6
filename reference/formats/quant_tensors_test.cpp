#include "reference/formats/quant_tensors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "reference/formats/codec.h"
#include "reference/formats/layout.h"

namespace plumbline::formats {
namespace {

constexpr std::int64_t kRows = 130;
constexpr std::int64_t kCols = 256;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

/// The tensors of two quantised matrices under the name "w", and their values.
struct Operand {
  QuantForm form;
  Tensors tensors;
  std::vector<double> values;

  Tensor& at(std::string_view name) { return tensors.find(name)->second; }
  bool has(std::string_view name) const { return tensors.contains(name); }
};

void append(std::vector<double>& to, const std::vector<double>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

Operand operand_of(const QuantForm& form) {
  Operand operand{form, {}, {}};
  std::vector<double> codes, scales, zeros, globals;
  for (const std::int64_t offset : {0, 11}) {
    std::vector<double> values;
    for (std::int64_t n = 0; n < kRows * kCols; ++n) {
      values.push_back(static_cast<double>(((n * 37 + offset) % 101 - 50) * (n % 7 + 1)));
    }
    const Quantized q = quantize({values, kRows, kCols}, form);
    append(operand.values, dequantize(q, form));
    append(codes, decode(q.codes));
    append(scales, decode(q.scales));
    if (q.zeros) append(zeros, decode(*q.zeros));
    globals.push_back(q.global);
  }
  for (const QuantPart& part : quant_parts(form, "w", {2, kRows, kCols})) {
    const std::vector<double>& values = part.role == QuantRole::kCodes   ? codes
                                        : part.role == QuantRole::kScale ? scales
                                        : part.role == QuantRole::kZero  ? zeros
                                                                         : globals;
    operand.tensors[part.name] = to_layout(encode(part.linear, values), part.spec.layout);
  }
  return operand;
}

Status status_of(const Operand& operand) {
  const auto breach = check_quantized(operand.tensors, "w", operand.form);
  return breach ? breach->status : Status::kOk;
}

/// One way to go wrong: what is done to good tensors, and the class that it must get.
struct Malformed {
  std::string_view name;
  Status status;
  bool (*spoil)(Operand&);  ///< false: this scheme cannot go wrong in that way
};

void set_code(Tensor& tensor, std::uint64_t code) {
  tensor.data.back() = static_cast<std::byte>(code);
}

bool set_last(Operand& o, std::string_view name, double value) {
  if (!o.has(name) || o.at(name).spec.layout != Layout::kLinear) return false;
  Tensor& tensor = o.at(name);
  std::vector<double> values = decode(tensor);
  const double held = round_to(tensor.spec.dtype, value);
  if (held != value && !(std::isnan(value) && std::isnan(held))) return false;
  values.back() = value;
  tensor = encode(tensor.spec, values);
  return true;
}

bool remove(Operand& o, std::string_view name) { return o.tensors.erase(std::string(name)) > 0; }

bool add(Operand& o, const std::string& name) {
  if (o.has(name)) return false;
  o.tensors[name] = Tensor::zeros({DType::kF32, {2}});
  return true;
}

bool retype(Operand& o, std::string_view name, DType dtype) {
  if (!o.has(name)) return false;
  if (o.at(name).spec.dtype == dtype) return false;
  o.at(name) = Tensor::zeros({dtype, o.at(name).spec.shape, o.at(name).spec.layout});
  return true;
}

bool retag(Operand& o, std::string_view name, Layout layout) {
  if (!o.has(name) || o.at(name).spec.layout == layout) return false;
  o.at(name).spec.layout = layout;
  return true;
}

bool reshape(Operand& o, std::string_view name, std::vector<std::int64_t> shape) {
  if (!o.has(name)) return false;
  o.at(name) = Tensor::zeros({o.at(name).spec.dtype, std::move(shape), o.at(name).spec.layout});
  return true;
}

bool shorten(Operand& o, std::string_view name) {
  if (!o.has(name)) return false;
  o.at(name).data.pop_back();
  return true;
}

/// A code that stands for NaN or infinity, where the type has one.
bool spoil_code(Operand& o) {
  if (!o.form.scaled()) return false;
  for (std::uint64_t code = 0; code < std::uint64_t{1} << o.form.bits; ++code) {
    if (std::isfinite(decode(o.form.code, code))) continue;
    set_code(o.at("w"), code);
    return true;
  }
  return false;
}

bool set_padding_and_nan(Operand& o) {
  if (!o.has("w_scale") || o.at("w_scale").spec.layout != Layout::kPackedInt32) return false;
  o.at("w_scale").data[1] = std::byte{0xFF};
  return true;
}

using O = Operand&;

constexpr auto kMalformed = std::to_array<Malformed>({
      {"no codes", Status::kMissing, [](O o) { return remove(o, "w"); }},
      {"no scales", Status::kMissing, [](O o) { return remove(o, "w_scale"); }},
      {"no zero points", Status::kMissing, [](O o) { return remove(o, "w_zero"); }},
      {"no global scale", Status::kMissing, [](O o) { return remove(o, "w_global_scale"); }},
      {"scales too many", Status::kUnexpected, [](O o) { return add(o, "w_scale"); }},
      {"zero points too many", Status::kUnexpected, [](O o) { return add(o, "w_zero"); }},
      {"a global scale too many", Status::kUnexpected,
       [](O o) { return add(o, "w_global_scale"); }},
      {"codes of another type", Status::kDtype, [](O o) { return retype(o, "w", DType::kE5m2); }},
      {"codes as words", Status::kDtype, [](O o) { return retype(o, "w", DType::kI32); }},
      {"scales of another type", Status::kDtype,
       [](O o) { return retype(o, "w_scale", DType::kF16); }},
      {"zero points of another type", Status::kDtype,
       [](O o) { return retype(o, "w_zero", DType::kI8); }},
      {"a global scale of another type", Status::kDtype,
       [](O o) { return retype(o, "w_global_scale", DType::kBf16); }},
      {"column-major codes", Status::kLayout,
       [](O o) { return retag(o, "w", Layout::kColumnMajor); }},
      {"swizzled scales", Status::kLayout,
       [](O o) { return retag(o, "w_scale", Layout::kSwizzled128x4); }},
      {"column-major scales", Status::kLayout,
       [](O o) { return retag(o, "w_scale", Layout::kColumnMajor); }},
      {"TMA-aligned scales", Status::kLayout,
       [](O o) { return retag(o, "w_scale", Layout::kTmaAligned); }},
      {"packed words not said to be packed", Status::kLayout,
       [](O o) {
         return o.has("w_scale") && o.at("w_scale").spec.layout == Layout::kPackedInt32 &&
                retag(o, "w_scale", Layout::kLinear);
       }},
      {"scales of other groups", Status::kLayout,
       [](O o) { return o.has("w_scale") && (o.at("w_scale").spec.block = 64) == 64; }},
      {"codes of one dimension", Status::kShape, [](O o) { return reshape(o, "w", {512}); }},
      {"codes of a negative size", Status::kShape,
       [](O o) {
         return (o.at("w").spec.shape = {2, -kRows, kCols}).size() == 3;
       }},
      {"codes beyond all memory", Status::kShape,
       [](O o) {
         return (o.at("w").spec.shape = {1L << 40, 1L << 40, 4}).size() == 3;
       }},
      {"codes with fewer columns than scales", Status::kShape,
       [](O o) {
         return o.form.whole_groups && reshape(o, "w", {2, kRows, kCols - 128});
       }},
      {"scales of one more expert", Status::kShape,
       [](O o) {
         return o.has("w_scale") && reshape(o, "w_scale", {3, kRows, kCols});
       }},
      {"zero points of another shape", Status::kShape,
       [](O o) {
         return reshape(o, "w_zero", {2, kRows, 1});
       }},
      {"one global scale for two", Status::kShape,
       [](O o) { return reshape(o, "w_global_scale", {1}); }},
      {"codes that end early", Status::kShape, [](O o) { return shorten(o, "w"); }},
      {"scales that end early", Status::kShape, [](O o) { return shorten(o, "w_scale"); }},
      {"groups that do not divide", Status::kShape,
       [](O o) {
         if (!o.form.whole_groups) return false;
         const std::int64_t cols = kCols - o.form.block_cols / 2;
         o.at("w") = Tensor::zeros({o.form.code, {2, kRows, cols}});
         return true;
       }},
      {"a scale of zero", Status::kUnsupported, [](O o) { return set_last(o, "w_scale", 0.0); }},
      {"a negative scale", Status::kUnsupported, [](O o) { return set_last(o, "w_scale", -1.0); }},
      {"a scale that is NaN", Status::kUnsupported,
       [](O o) { return set_last(o, "w_scale", kNan); }},
      {"an infinite scale", Status::kUnsupported, [](O o) { return set_last(o, "w_scale", kInf); }},
      {"a packed scale that is NaN", Status::kUnsupported, set_padding_and_nan},
      {"a global scale of zero", Status::kUnsupported,
       [](O o) { return set_last(o, "w_global_scale", 0.0); }},
      {"a global scale that is NaN", Status::kUnsupported,
       [](O o) { return set_last(o, "w_global_scale", kNan); }},
      {"a code that is no number", Status::kUnsupported, spoil_code},
      {"a code of too many bits", Status::kUnsupported,
       [](O o) {
         if (!o.form.scaled() || o.form.bits >= 8) return false;
         set_code(o.at("w"), 16);
         return true;
       }},
      {"a zero point of too many bits", Status::kUnsupported,
       [](O o) { return set_last(o, "w_zero", 16.0); }},
});

std::vector<std::pair<std::string, QuantForm>> all_forms() {
  std::vector<std::pair<std::string, QuantForm>> forms;
  for (const QuantScheme& scheme : all_quant_schemes()) {
    forms.emplace_back(std::string(scheme.name) + " weights", weight_form(scheme));
    forms.emplace_back(std::string(scheme.name) + " activations", activation_form(scheme));
  }
  return forms;
}

TEST(QuantTensors, ReadBackWhatWasQuantised) {
  for (const auto& [name, form] : all_forms()) {
    const Operand operand = operand_of(form);
    const auto breach = check_quantized(operand.tensors, "w", form);
    EXPECT_FALSE(breach) << name << ": " << breach->refusal().text();
    EXPECT_EQ(dequantize(operand.tensors, "w", form), operand.values) << name;
  }
}

TEST(QuantTensors, EveryMalformedInputGetsItsClassInEveryScheme) {
  std::vector<int> tried(kMalformed.size(), 0);
  for (const auto& [name, form] : all_forms()) {
    const Operand good = operand_of(form);
    for (std::size_t n = 0; n < tried.size(); ++n) {
      Operand bad = good;
      const Malformed& malformed = kMalformed[n];
      if (!malformed.spoil(bad)) continue;
      ++tried[n];
      EXPECT_EQ(name_of(status_of(bad)), name_of(malformed.status))
          << name << ": " << malformed.name;
      EXPECT_THROW(dequantize(bad.tensors, "w", form), BadInput) << name << ": " << malformed.name;
    }
  }
  for (std::size_t n = 0; n < tried.size(); ++n) {
    EXPECT_GT(tried[n], 0) << kMalformed[n].name << " was never tried";
  }
}

TEST(QuantTensors, DoNotLookAtThePaddingOfALayout) {
  Operand packed = operand_of(weight_form(*quant_from_name("fp8_block128_packed")));
  packed.at("w_scale").data[3] = std::byte{0xFF};
  EXPECT_EQ(status_of(packed), Status::kOk);
}

TEST(QuantTensors, NameTheTensorTheRuleAndWhatWasFound) {
  Operand bad = operand_of(weight_form(*quant_from_name("w8a8_int8")));
  retype(bad, "w_scale", DType::kBf16);
  const auto breach = check_quantized(bad.tensors, "w", bad.form);
  ASSERT_TRUE(breach);
  EXPECT_EQ(breach->refusal().rule, "w_scale is f32");
  EXPECT_EQ(breach->refusal().detail, "w_scale is bf16 [2, 130]");
  EXPECT_STREQ(breach->bad_input().what(), "w_scale: is f32, not bf16 [2, 130]");
}

TEST(QuantTensors, ScalesOfATensorOfTwoDimensionsHaveOneElement) {
  const auto parts =
      quant_parts(activation_form(*quant_from_name("w8a8_fp8_tensor")), "x", {5, 64});
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[1].name, "x_scale");
  EXPECT_EQ(parts[1].spec.text(), "f32 [1]");
  EXPECT_THROW(quant_parts(QuantForm{}, "x", {5}), ContractViolation);
}

}  // namespace
}  // namespace plumbline::formats
