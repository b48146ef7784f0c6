#pragma once
#include "reference/ops/matrix.h"
#include "reference/spec/format.h"

/// Steps that every bound shares: the constants of fp32 and double arithmetic, declared roundings
/// of whole matrices, the last rounding to the output's type. All radii of the project are made in
/// this folder and nowhere else.
namespace plumbline::bounds {

/// Unit roundoff of fp32, rounded to nearest.
inline constexpr double kUnit32 = 0x1p-24;
/// Unit roundoff of double.
inline constexpr double kUnit64 = 0x1p-53;

/// A value and the radius around it that a right device may reach, element by element.
struct Enclosure {
  Matrix mid;
  Matrix radius;

  static Enclosure exact(Matrix values);
};

/// Relative error of an fp32 sum of `terms` products in any order, with or without FMA, relative to
/// Σ|a·b|: γ = f·n'·u / (1 − n'·u), n' = terms + 2·groups + 4. f is 1 for rounding to nearest and
/// 2.2 where `truncating` (error_bounds 2.1: a truncating adder errs by 2u an addition, the rest
/// pays for the alignment of products inside one tensor-core step). `groups`: partial sums that are
/// scaled and added separately. Higham 2002, section 3.1.
double gamma32(std::int64_t terms, std::int64_t groups, bool truncating);

/// Error of the double reference itself relative to Σ|a·b|: 2·(terms + 8)·2^−53. Without it an
/// exact integer sum of zero, 3e-16 in double, would count as a device error.
double reference_gamma(std::int64_t terms);

/// terms · 2^−126, the smallest normal number of fp32 a term, wherever the radius is not 0 (where
/// some product is not 0): products and partial sums below it may be flushed to zero.
void add_underflow(std::int64_t terms, Matrix& radius);

/// Nearest-even rounding of every element to `dtype`, in place (overflow as the format says).
void round_all(DType dtype, Matrix& values);

/// A declared rounding. Rounding is monotone, so a device whose value lay in [x − r, x + r] now
/// holds a value in [Q(x − r), Q(x + r)]: the enclosure becomes the hull of that accept set. Equal
/// ends erase the error. An end that is not finite makes the radius infinite unless both agree.
void round_enclosure(DType dtype, Enclosure& enclosure);

/// Half the spacing of `dtype` at |x| + r: the last rounding of an output. 0 for integers.
double half_ulp(DType dtype, double magnitude);

/// radius → radius + half_ulp(|mid| + radius), for a value that is finite; where the radius is 0
/// the rounded value is the only right one and the radius stays 0; what is certain to underflow is
/// 0, exactly; what is certain to overflow is what the format makes of it (infinity where it has
/// one), exactly, and what may or may not gets an infinite radius; an infinite or NaN value keeps
/// radius 0 and is to be met exactly; a finite value whose radius is not a number gets an infinite
/// one.
void add_output_rounding(DType dtype, Enclosure& enclosure);

}  // namespace plumbline::bounds
