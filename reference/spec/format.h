#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace plumbline {

/// Element types of tensors. The narrow floats follow the names of ml_dtypes; `kE2m1fn` is the
/// element of NVFP4 and MXFP4.
enum class DType : std::uint8_t {
  kF64,
  kF32,
  kF16,
  kBf16,
  kI64,
  kI32,
  kI16,
  kI8,
  kU8,
  kBool,
  kE4m3fn,
  kE4m3fnuz,
  kE5m2,
  kE5m2fnuz,
  kE8m0fnu,
  kE2m1fn,
  kE4m3,
  kE3m4,
  kE4m3b11fnuz,
  kE2m3fn,
  kE3m2fn,
};

/// What the codes at the top of the exponent range mean.
enum class Specials : std::uint8_t {
  kNone,    ///< integers, booleans: no special code
  kIeee,    ///< largest exponent holds infinities and NaN (f64, f32, f16, bf16, e5m2, e4m3, e3m4)
  kFn,      ///< no infinity; exponent and mantissa all ones is NaN (e4m3fn)
  kFnuz,    ///< no infinity, no negative zero: its code is the one NaN (…fnuz)
  kFinite,  ///< every code is a number (e2m1fn, e2m3fn, e3m2fn)
  kScale,   ///< unsigned exponent only, 0xFF is NaN (e8m0fnu)
};

/// One number format, as data. value = (−1)^s · 2^(e − bias) · 1.m, subnormals for e = 0.
struct Format {
  DType dtype;
  std::string_view name;         ///< as in case ids and reports: "bf16", "e4m3fn"
  std::string_view safetensors;  ///< dtype word of a safetensors header; empty: not storable
  std::string_view ml_name;      ///< name in formats.json: "float8_e4m3fn"; empty: none
  int bits;                      ///< width of one code in bits
  int exponent_bits;             ///< 0 for integers
  int mantissa_bits;             ///< stored bits, without the leading one
  int bias;
  Specials specials;

  /// Half the distance from 1 to the next number: 2^−(mantissa_bits + 1). 0 for integers.
  double unit_roundoff() const;
  /// Largest finite value.
  double max_finite() const;
  /// Smallest exponent of a normal number: 1 − bias.
  int min_exponent() const { return 1 - bias; }
  bool is_float() const { return exponent_bits > 0; }
};

/// The row of `dtype`. Every enumerator has one.
const Format& format_of(DType dtype);
/// All formats, in the order of the enumeration.
std::span<const Format> all_formats();
std::optional<DType> dtype_from_name(std::string_view name);
std::optional<DType> dtype_from_safetensors(std::string_view word);

inline std::string_view name_of(DType dtype) { return format_of(dtype).name; }
/// Bytes of `count` elements stored one a byte or wider (4- and 6-bit codes take one byte each).
std::int64_t bytes_of(DType dtype, std::int64_t count);

}  // namespace plumbline
