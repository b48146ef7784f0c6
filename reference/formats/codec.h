#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "reference/spec/format.h"
#include "reference/spec/tensor.h"

/// Codes to values and back, for every format of spec/format.h, in double.
namespace plumbline::formats {

/// What becomes of a value beyond the largest finite one (infinities included).
enum class Overflow : std::uint8_t {
  kFormat,    ///< the format's own answer: infinity, else NaN, else the largest value
  kSaturate,  ///< the largest value of that sign; NaN stays NaN
};

/// Value of a code; bits above the format's width are ignored. Exact, except for i64 and codes
/// beyond 2^53, which round to the nearest double. The sign of a NaN is kept.
double decode(DType dtype, std::uint64_t code);

/// Code of the number nearest to `value`, ties to the even code, in one rounding from the double.
/// NaN: the format's NaN with the sign of `value`; where it has none (e2m1fn, e2m3fn, e3m2fn)
/// negative zero. Where there is no negative zero (…fnuz) zero has one code.
/// e8m0fnu holds powers of two: a value halfway (1.5·2^n) goes up, everything in (0, 2^−127) gives
/// 2^−127, zero and negative values give NaN, in both modes.
/// Integers and bool (0 or 1): ties to even, always saturating, NaN gives 0.
std::uint64_t encode(DType dtype, double value, Overflow overflow = Overflow::kFormat);

/// decode(encode(value)): `value` rounded to the format.
double round_to(DType dtype, double value, Overflow overflow = Overflow::kFormat);

/// Distance between neighbouring numbers of the format in the binade of `x`; below the smallest
/// normal number the subnormal spacing, beyond the largest the top binade's; 1 for integers. NaN
/// gives NaN.
double ulp(DType dtype, double x);

/// Values of all elements in memory order. Throws ContractViolation where the bytes do not fit the
/// spec. Codes of 4 and 6 bits are stored one a byte.
std::vector<double> decode(const Tensor& tensor);

/// A tensor of these values, each rounded once. Throws ContractViolation unless there are as many
/// values as elements.
Tensor encode(TensorSpec spec, std::span<const double> values,
              Overflow overflow = Overflow::kFormat);

}  // namespace plumbline::formats
