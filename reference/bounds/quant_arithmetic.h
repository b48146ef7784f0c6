#pragma once
#include <cstdint>

#include "reference/spec/format.h"
#include "reference/spec/profile.h"

/// Dynamic quantisation of one group of numbers that share a scale, step by step as fp32 does it.
namespace plumbline::bounds {

/// How operands are quantised on their way into a product.
struct DynamicQuant {
  DType code = DType::kE4m3fn;  ///< e4m3fn or i8
  std::int64_t group = 0;       ///< columns that share a scale; 0: the whole row (one a token)
  QuantArithmetic arithmetic{};

  /// 448 or 127: codes lie within ± it, so −128 is never used.
  float largest() const { return code == DType::kI8 ? 127.0F : 448.0F; }
};

/// What the largest magnitude of a group leads to.
struct QuantStep {
  float scale = 1;  ///< s: a code stands for code · s
  double low = 1;   ///< the factors that quotients may be made with: x · [low, high];
  double high = 1;  ///< unused where the profile divides by s
  bool divides = true;
};

/// The step for a group whose largest magnitude is `amax`, taken as at least 1e-10. scale and both
/// factors are monotone functions of amax. Approximate divisions: 2 ulp are at most 2^−22 of the
/// quotient, so the factor lies in c·(1 ± 2^−22), c the exact quotient.
QuantStep quant_step(double amax, const DynamicQuant& quant);

/// The least and the greatest fp32 quotient of `value`, clamped to ±largest. Equal where the
/// arithmetic is exact. A product with a factor of fp32 is exact in double and rounds once, and
/// rounding is monotone: every device whose factor lies in [low, high] gives one in between.
double quotient_low(double value, const QuantStep& step, const DynamicQuant& quant);
double quotient_high(double value, const QuantStep& step, const DynamicQuant& quant);

/// The code that a quotient rounds to, as a number. Infinities and NaN stay.
double code_of(double quotient, const DynamicQuant& quant);

}  // namespace plumbline::bounds
