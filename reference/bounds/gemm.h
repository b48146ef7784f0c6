#pragma once
#include <span>

#include "reference/bounds/expected.h"
#include "reference/bounds/rounding.h"
#include "reference/ops/matrix.h"
#include "reference/spec/profile.h"

namespace plumbline::bounds {

/// Scales that multiply row i and column j of a product: [M] and [N]; empty: none; one entry: the
/// same everywhere.
struct GemmScales {
  std::span<const double> a;
  std::span<const double> b;
};

/// a·bᵀ with scales, a [m, k], b [n, k] → [m, n], as a device under `profile` may return it in
/// `out`. radius = γ·A + hardware term + 2(K + 8)·2^−53·A + K·2^−126 + 5u·|x| where scaled + half
/// an ulp of `out`, with A = |a|·|b|ᵀ (scaled). Hardware term (interim, until Hopper is probed;
/// measured, not derived): kHopperFp8Precise 4·2^−13·A, kHopperFp8Fast (K/32)·2^−13·A. kInt32 with
/// an integer `out`: exact, radius 0; sums beyond 2^53 are refused by ContractViolation. Two matrix
/// products: a·bᵀ, |a|·|b|ᵀ.
Expected gemm(const Matrix& a, const Matrix& b, const Profile& profile, DType out,
              const GemmScales& scales = {});

}  // namespace plumbline::bounds
