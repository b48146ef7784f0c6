#pragma once
#include "reference/bounds/experts.h"

/// The staged lane: what each intermediate of an expert layer may be, given the implementation's
/// own intermediate before it. Errors do not pile up, so a stage leaves a value one code or two
/// where the end-to-end bound leaves hundreds; and the stage that goes wrong is named.
///
/// Every result that is rounded carries the accept set of that rounding: with the value before it
/// in [x − r, x + r], a device holds a number of [Q(x − r), Q(x + r)] (round_enclosure). r is that
/// of a single step:
///
/// | stage | x | r |
/// |---|---|---|
/// | x_scale | scale rule of the profile on max\|x\| | 0 |
/// | x_quantized | Q(quotient of the profile), from x alone | 0, or the 2 ulp of its division |
/// | gemm1 | x̂·W13ᵀ + b13, x̂ = codes·scales as returned | γ·Σ\|x̂·w\| + reference |
/// | activation | act(gemm1 as returned) | that of silu and product in fp32 |
/// | experts | weight·(â·W2ᵀ + b2), â = the activation as returned, quantised | γ·Σ\|â·w\| … |
/// | out | Σ over the slots of the weighted results as returned | (k − 1)·u·Σ\|v\| |
///
/// γ: gamma_of (expert_steps.h), except where int8 codes are summed in int32: that sum is exact and
/// the roundings after it are relative to the result, so r = γ·|x| and not γ·Σ|·|. u = 2^−24.
/// Shapes: t tokens, k slots, rows of position t·k + slot; a slot without an expert of its own
/// (id negative or ≥ e) is given an infinite radius up to `experts`. Sources: error_bounds 2.1, 7.
namespace plumbline::bounds {

/// f32 [t, scales a row]. A group that holds NaN or infinity has no scale: infinite radius.
Expected stage_x_scale(const Matrix& x, const ExpertArithmetic& arithmetic);

/// Codes [t, h] as numbers, in the type of the codes.
Expected stage_x_quantized(const Matrix& x, const ExpertArithmetic& arithmetic);

/// codes · scales, [t, h]: what a device's own quantisation stands for. Exact: 24 + 8 bits.
Matrix dequantized(const Matrix& codes, const Matrix& scales, const ExpertArithmetic& arithmetic);

/// io [t·k, rows of w13]. `x` [t, h] is what the product reads: dequantized(), or x itself.
Expected stage_gemm1(const moe::ExpertInputs& inputs, const Matrix& x,
                     const ExpertArithmetic& arithmetic);

/// io [t·k, i], from gemm1 [t·k, rows of w13]. The function's own error is 2^−22 a few times over.
Expected stage_activation(const moe::ExpertInputs& inputs, const Matrix& gemm1,
                          const ExpertArithmetic& arithmetic);

/// io [t, k, h], from the activation [t·k, i]. Its quantisation is followed bit by bit, or inside
/// the accept set of an approximate division; that radius goes through |W2|.
Expected stage_experts(const moe::ExpertInputs& inputs, const Matrix& activation,
                       const ExpertArithmetic& arithmetic);

/// io [t, h], from the weighted results [t·k, h]; fp32 in any order, or in io in expert order, one
/// rounding an addition.
Expected stage_out(const moe::ExpertInputs& inputs, const Matrix& weighted,
                   const ExpertArithmetic& arithmetic);

}  // namespace plumbline::bounds
