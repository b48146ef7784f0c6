#pragma once
#include <cstdint>

#include "reference/bounds/carried.h"
#include "reference/spec/format.h"

namespace plumbline::bounds {

/// How operands are quantised on their way into a product.
struct DynamicQuant {
  DType code = DType::kE4m3fn;  ///< e4m3fn or i8
  std::int64_t group = 0;       ///< columns that share a scale; 0: the whole row (one a token)

  /// 448 or 127: codes lie within ± it, so −128 is never used.
  float largest() const { return code == DType::kI8 ? 127.0F : 448.0F; }
};

/// Dynamic quantisation of rows with one fp32 scale per group of columns, and back:
/// s = max(|x|max, 1e-10)/largest, code = Q(clamp(x/s, ±largest)), nearest even, value code·s;
/// divisions in fp32. Exact operands are followed bit by bit. Otherwise |x|max lies in an interval,
/// s (a monotone function of it) in another, the code in [Q(lo/s), Q(hi/s)] with the worse s, and
/// the result is the hull of code·s. The last group may be partial.
Enclosure quantize_rows(const Enclosure& x, const DynamicQuant& quant);

/// The scale of a group whose largest magnitude is `amax`: max(amax, 1e-10)/largest in fp32.
float scale_of(double amax, float largest);

/// The same on both tracks. Calibrated: the nominal scale s comes from the nominal values; a code
/// may land on its neighbours where value ± reach, divided by the worse end of the scale's range,
/// does (through_step), and the doubt in s itself moves the whole group (Carried::scale).
Carried quantize_rows(const Carried& x, const DynamicQuant& quant);

}  // namespace plumbline::bounds
