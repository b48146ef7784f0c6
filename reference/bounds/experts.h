#pragma once
#include <string>

#include "reference/bounds/expected.h"
#include "reference/bounds/rounding.h"
#include "reference/moe/experts.h"
#include "reference/spec/problems.h"
#include "reference/spec/profile.h"

namespace plumbline::bounds {

/// How the layer is computed, apart from its inputs.
struct ExpertArithmetic {
  Activation activation{};
  Profile profile{};
  DType io = DType::kBf16;     ///< type of x, of the roundings R1–R3 and of the output
  std::string quant = "bf16";  ///< a quant scheme; "fp8_block128" re-quantises x and activations
  double scale = 1.0;          ///< routed scaling factor, once, on the sum
  bool calibrated = false;     ///< also the calibrated view, for lane S
};

/// out [t, h] of an expert layer as a device under `arithmetic.profile` may return it. Enclosures
/// travel through GEMM1, bias, activation, GEMM2, bias, router weight and combine; every declared
/// rounding applies the accept-set rule of round_enclosure. A token without experts is exact 0.
/// Matrix products, per expert over its tokens: 1. GEMM1 x·W13ᵀ; 2. its Σ|ab|, |x|·|W13|ᵀ; 3. GEMM2
/// a·W2ᵀ; 4. γ·Σ|ab| and the error of the activations together, (γ|a| + (1 + γ)r)·|W2|ᵀ. With the
/// calibrated view 12: 3 in place of 1 and 2, 9 in place of 3 and 4 (carried.h).
/// Throws BadInput for a quant that does not exist or whose arithmetic has no derivation here yet.
Expected experts(const moe::ExpertInputs& inputs, const ExpertArithmetic& arithmetic);

}  // namespace plumbline::bounds
