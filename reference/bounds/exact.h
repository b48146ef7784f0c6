#pragma once
#include "reference/bounds/rounding.h"

/// Where fp32 does not round at all, so that only one answer is right. A sum of numbers that are
/// all multiples of a power of two g (the grain) is a multiple of g, as is each of its partial sums
/// in any order; each is at most Σ|terms|. Where Σ|terms| ≤ 2^24·g every partial sum is one of the
/// numbers n·g, |n| ≤ 2^24, which fp32 holds: no order of summation, fused or not, rounding or
/// truncating, can err. Source: error_bounds section 5.
namespace plumbline::bounds {

/// The largest power of two that divides a finite `value`: its lowest set bit. +∞ for 0.
double grain_of(double value);

/// Whether `sum_of_magnitudes` ≤ 2^24·`grain`: sums of such terms are exact in fp32.
bool sums_exactly(double sum_of_magnitudes, double grain);

/// Whether a·wᵀ is exact in fp32 whatever the order: a [n, k] is exact (radius 0), and k times the
/// largest product is at most 2^24 times the product of the grains. Shapes: w [m, k].
bool multiplies_exactly(const Enclosure& a, const Matrix& w);

/// Whether fp32 holds `value`.
inline bool fits_fp32(double value) {
  return static_cast<double>(static_cast<float>(value)) == value;
}

/// One fp32 rounding of a result that lies within the radius around mid: r += u·(|mid| + r), and
/// nothing where the result is exact and a number of fp32.
void round_to_fp32(Enclosure& a);

}  // namespace plumbline::bounds
