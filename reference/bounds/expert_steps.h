#pragma once
#include <cstdint>

#include "reference/bounds/carried.h"
#include "reference/bounds/experts.h"
#include "reference/spec/ids.h"

/// Steps that the end-to-end bound of an expert layer and the bounds of its stages share.
namespace plumbline::bounds {

/// The row of `arithmetic.quant`. Throws BadInput where there is none.
QuantScheme scheme_of(const ExpertArithmetic& arithmetic);

/// Errors of a product of k terms over the dequantised operands, `gamma` relative to Σ|a·w|.
/// Groups along k: each partial sum is scaled on its own (gamma32). One scale a token and one a
/// channel: the sum is scaled at its end, which is one group. int8: the sum itself is exact in
/// int32 (127²·k < 2³¹ for k < 133,152); left are its conversion to fp32, one rounding beyond 2²⁴,
/// and the two scales: (P·s_a)·s_w and P·(s_a·s_w) round twice each. Three roundings,
/// (1 + u)³ − 1 ≤ 3u/(1 − 3u).
SumErrors errors_of(const ExpertArithmetic& arithmetic, std::int64_t k);

}  // namespace plumbline::bounds
