#pragma once
#include "reference/bounds/carried.h"
#include "reference/bounds/quant_arithmetic.h"

namespace plumbline::bounds {

/// Dynamic quantisation of rows with one fp32 scale per group of columns, and back:
/// s = max(|x|max, 1e-10)/largest, code = Q(clamp(x/s, ±largest)), value code·s, each operation as
/// `quant.arithmetic` says (by default fp32 divisions, ties to even). Exact operands are followed
/// bit by bit, unless a division is approximate. Otherwise |x|max lies in an interval,
/// s (a monotone function of it) in another, the code in [Q(lo/s), Q(hi/s)] with the worse s, and
/// the result is the hull of code·s. The last group may be partial.
Enclosure quantize_rows(const Enclosure& x, const DynamicQuant& quant);

/// The same on both tracks. Calibrated: the nominal scale s comes from the nominal values; a code
/// may land on its neighbours where value ± reach, divided by the worse end of the scale's range,
/// does (through_step), and the doubt in s itself moves the whole group (Carried::scale).
Carried quantize_rows(const Carried& x, const DynamicQuant& quant);

}  // namespace plumbline::bounds
