#pragma once
#include "reference/bounds/rounding.h"

namespace plumbline::bounds {

/// Dynamic quantisation of rows to e4m3fn with one fp32 scale per `group` columns, and back:
/// s = max(|x|max, 1e-10)/448, code = Q(clamp(x/s, ±448)), value code·s; divisions in fp32.
/// Exact operands are followed bit by bit. Otherwise |x|max lies in an interval, s (a monotone
/// function of it) in another, the code in [Q(lo/s), Q(hi/s)] with the worse s, and the result is
/// the hull of code·s. The last group may be partial.
Enclosure quantize_groups(const Enclosure& x, std::int64_t group);

}  // namespace plumbline::bounds
