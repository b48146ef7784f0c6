#pragma once
#include "reference/bounds/carried.h"
#include "reference/bounds/experts.h"

namespace plumbline::bounds {

/// The activation of an expert on what GEMM1 left: gated [n, 2i] → [n, i], else [n, i].
/// kStages: fp32 throughout, then R2 (with activation_rounded_before_product the gate's part rounds
/// to io before the product, too). kEveryOperation: every operation rounds to io.
Carried activate(const Carried& gemm1, const ExpertArithmetic& arithmetic);

}  // namespace plumbline::bounds
