#pragma once
#include <cstdint>

#include "reference/bounds/rounding.h"

/// Arithmetic on enclosures as fp32 does it: each step widens the radius by what the step itself
/// may err, at most one unit roundoff of the result.
namespace plumbline::bounds {

/// a·wᵀ, a [n, k], w [m, k] exact: γ relative to Σ|a·w| for the accumulation, and the radius of a
/// through |w|: (γ|a| + (1 + γ)·r)·|w|ᵀ. Two matrix products; one where fp32 sums exactly
/// (exact.h).
Enclosure multiply_transposed(const Enclosure& a, const Matrix& w, double gamma);

/// a + b, b exact: [n, m] + [1, m] a row.
void add_row(Enclosure& a, const Eigen::Ref<const Matrix>& row);

/// a + constant.
void add_constant(Enclosure& a, double constant);

/// Element by element: |ab| changes by |a|·r_b + |b|·r_a + r_a·r_b.
Enclosure multiply(const Enclosure& a, const Enclosure& b);

/// a · factor (a number of fp32).
void multiply_constant(Enclosure& a, double factor);

/// min(a, high) and max(·, low): monotone and exact, so the ends move and nothing is added. A value
/// that is saturated by more than its radius is exact.
void clamp(Enclosure& a, double low, double high);

}  // namespace plumbline::bounds
