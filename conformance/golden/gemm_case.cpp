#include "conformance/golden/kinds.h"

namespace plumbline::golden {
namespace {

bool is_scale(DType dtype) { return format_of(dtype).is_float(); }

void check_scales(const CaseFile& file, const GemmCase& gemm) {
  const Tensor& a = file.require_shape("scale_a", {gemm.m, 1}, "the rows of a");
  const Tensor& b = file.require_shape("scale_b", {1, gemm.n}, "the rows of b");
  if (!is_scale(a.spec.dtype)) file.refuse_tensor("scale_a", "must be a float");
  if (!is_scale(b.spec.dtype)) file.refuse_tensor("scale_b", "must be a float");
}

/// The type of the result: `out_dtype`; unscaled integer products are i32.
DType out_dtype(const CaseFile& file, const GemmCase& gemm) {
  const bool integer = gemm.in == DType::kI8 && !gemm.scaled;
  const std::optional<std::string> word = file.text("out_dtype");
  if (!word) {
    if (integer) return DType::kI32;
    file.refuse_key("out_dtype",
                    "is missing; only unscaled int8 products have a type of their own");
  }
  const std::optional<DType> dtype = dtype_from_metadata(*word);
  if (!dtype) file.refuse_key("out_dtype", "unknown dtype " + shown(*word));
  if (integer ? *dtype != DType::kI32 : !format_of(*dtype).is_float()) {
    file.refuse_key("out_dtype",
                    "unscaled int8 products are int32, all others a float, not " + shown(*word));
  }
  return *dtype;
}

}  // namespace

std::optional<DType> dtype_from_metadata(std::string_view word) {
  for (const Format& format : all_formats()) {
    if (format.ml_name == word || format.name == word) return format.dtype;
  }
  if (word == "int32") return DType::kI32;
  if (word == "int8") return DType::kI8;
  return std::nullopt;
}

void check_count(const CaseFile& file, std::string_view key, std::int64_t size,
                 std::string_view name) {
  const std::optional<std::int64_t> stated = file.count(key);
  if (stated && *stated != size) {
    file.refuse_key(key, "is " + std::to_string(*stated) + ", but tensor " + std::string(name) +
                             " has " + std::to_string(size));
  }
}

GemmCase gemm_case(const CaseFile& file) {
  const Tensor& a = file.require("a", 2);
  const Tensor& b = file.require("b", 2);
  GemmCase gemm{.m = a.spec.shape[0], .n = b.spec.shape[0], .k = a.spec.shape[1]};
  file.require_shape("b", {gemm.n, gemm.k}, "the columns of a");
  if (a.spec.dtype != b.spec.dtype) {
    file.refuse_tensor("b", "is " + b.spec.text() + ", but a is " + a.spec.text());
  }
  gemm.in = a.spec.dtype;
  if (!format_of(gemm.in).is_float() && gemm.in != DType::kI8) {
    file.refuse_tensor("a", "must be a float or int8, not " + a.spec.text());
  }
  gemm.scaled = file.find("scale_a") != nullptr || file.find("scale_b") != nullptr;
  if (gemm.scaled) check_scales(file, gemm);
  gemm.out = out_dtype(file, gemm);
  const std::string op = file.text("op").value_or("");
  if ((op.find("scale") != std::string::npos) && !gemm.scaled) {
    file.refuse_key("op", shown(op) + " names scales, but there is no tensor scale_a");
  }
  check_count(file, "M", gemm.m, "a");
  check_count(file, "N", gemm.n, "b");
  check_count(file, "K", gemm.k, "a");
  return gemm;
}

}  // namespace plumbline::golden
