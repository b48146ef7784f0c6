#include "reference/spec/format.h"

#include <array>
#include <cmath>

namespace plumbline {
namespace {

constexpr auto kFormats = std::to_array<Format>({
    {DType::kF64, "f64", "F64", "float64", 64, 11, 52, 1023, Specials::kIeee},
    {DType::kF32, "f32", "F32", "float32", 32, 8, 23, 127, Specials::kIeee},
    {DType::kF16, "f16", "F16", "float16", 16, 5, 10, 15, Specials::kIeee},
    {DType::kBf16, "bf16", "BF16", "bfloat16", 16, 8, 7, 127, Specials::kIeee},
    {DType::kI64, "i64", "I64", "", 64, 0, 0, 0, Specials::kNone},
    {DType::kI32, "i32", "I32", "", 32, 0, 0, 0, Specials::kNone},
    {DType::kI16, "i16", "I16", "", 16, 0, 0, 0, Specials::kNone},
    {DType::kI8, "i8", "I8", "", 8, 0, 0, 0, Specials::kNone},
    {DType::kU8, "u8", "U8", "", 8, 0, 0, 0, Specials::kNone},
    {DType::kBool, "bool", "BOOL", "", 8, 0, 0, 0, Specials::kNone},
    {DType::kE4m3fn, "e4m3fn", "F8_E4M3", "float8_e4m3fn", 8, 4, 3, 7, Specials::kFn},
    {DType::kE4m3fnuz, "e4m3fnuz", "F8_E4M3FNUZ", "float8_e4m3fnuz", 8, 4, 3, 8, Specials::kFnuz},
    {DType::kE5m2, "e5m2", "F8_E5M2", "float8_e5m2", 8, 5, 2, 15, Specials::kIeee},
    {DType::kE5m2fnuz, "e5m2fnuz", "F8_E5M2FNUZ", "float8_e5m2fnuz", 8, 5, 2, 16, Specials::kFnuz},
    {DType::kE8m0fnu, "e8m0fnu", "F8_E8M0", "float8_e8m0fnu", 8, 8, 0, 127, Specials::kScale},
    {DType::kE2m1fn, "e2m1fn", "", "float4_e2m1fn", 4, 2, 1, 1, Specials::kFinite},
    {DType::kE4m3, "e4m3", "", "float8_e4m3", 8, 4, 3, 7, Specials::kIeee},
    {DType::kE3m4, "e3m4", "", "float8_e3m4", 8, 3, 4, 3, Specials::kIeee},
    {DType::kE4m3b11fnuz, "e4m3b11fnuz", "", "float8_e4m3b11fnuz", 8, 4, 3, 11, Specials::kFnuz},
    {DType::kE2m3fn, "e2m3fn", "", "float6_e2m3fn", 6, 2, 3, 1, Specials::kFinite},
    {DType::kE3m2fn, "e3m2fn", "", "float6_e3m2fn", 6, 3, 2, 3, Specials::kFinite},
});

constexpr bool rows_follow_the_enumeration() {
  for (std::size_t i = 0; i < kFormats.size(); ++i) {
    if (static_cast<std::size_t>(kFormats[i].dtype) != i) return false;
  }
  return true;
}
static_assert(rows_follow_the_enumeration());

}  // namespace

double Format::unit_roundoff() const {
  return is_float() ? std::ldexp(1.0, -(mantissa_bits + 1)) : 0.0;
}

double Format::max_finite() const {
  if (!is_float()) return dtype == DType::kU8 ? 255.0 : std::ldexp(1.0, bits - 1) - 1.0;
  if (specials == Specials::kScale) return std::ldexp(1.0, 127);
  const int top_code = (1 << exponent_bits) - 1 - (specials == Specials::kIeee ? 1 : 0);
  const double ulp = std::ldexp(1.0, -mantissa_bits);
  const double mantissa = 2.0 - (specials == Specials::kFn ? 2.0 : 1.0) * ulp;
  return std::ldexp(mantissa, top_code - bias);
}

const Format& format_of(DType dtype) { return kFormats[static_cast<std::size_t>(dtype)]; }

std::span<const Format> all_formats() { return kFormats; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (const Format& row : kFormats) {
    if (row.name == name) return row.dtype;
  }
  return std::nullopt;
}

std::optional<DType> dtype_from_safetensors(std::string_view word) {
  for (const Format& row : kFormats) {
    if (!word.empty() && row.safetensors == word) return row.dtype;
  }
  return std::nullopt;
}

std::int64_t bytes_of(DType dtype, std::int64_t count) {
  const int bits = format_of(dtype).bits;
  return count * (bits < 8 ? 1 : bits / 8);
}

}  // namespace plumbline
