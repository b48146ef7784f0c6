#pragma once
#include "reference/bounds/experts.h"

namespace plumbline::bounds {

/// The activation of an expert on the enclosures of GEMM1: gated [n, 2i] → [n, i], else [n, i].
/// kStages: fp32 throughout, then R2 (with activation_rounded_before_product the gate's part rounds
/// to io before the product, too). kEveryOperation: every operation rounds to io.
Enclosure activate(const Enclosure& gemm1, const ExpertArithmetic& arithmetic);

}  // namespace plumbline::bounds
