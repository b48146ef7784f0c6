#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "reference/bounds/enclosure.h"
#include "reference/bounds/nominal.h"

/// Quantities on their way through an operation, on the rigorous track and, where it is asked for,
/// on the calibrated one. Each step is done on both; the calibrated one looks at the enclosure for
/// what is exact and for its cap.
namespace plumbline::bounds {

/// How far the scale that a group of columns shares may be off, relative: it moves all elements of
/// the group together, so that it weighs |Σ| of a later sum over the group, not Σ|·|.
struct SharedScale {
  Matrix relative;         ///< [n, groups]; 0×0: no scale is in doubt
  Eigen::Index group = 0;  ///< columns of a group
};

struct Carried {
  Enclosure rigorous;
  std::optional<Nominal> nominal;  ///< none: lane S is not asked for
  SharedScale scale = {};          ///< of the calibrated track only

  static Carried exact(Matrix values, bool calibrated);
  Carried columns(Eigen::Index first, Eigen::Index count) const;
};

/// How a sum of products errs on a device.
struct SumErrors {
  double gamma = 0;            ///< |error| ≤ gamma·Σ|ab|, rigorous
  std::int64_t roundings = 0;  ///< n' of the calibrated track: terms + 2·groups + 4; 0: exact sums
  std::int64_t scalings = 0;   ///< roundings of the whole sum, u·|x| each
  bool truncating = false;     ///< partial sums may be truncated
  double reference = 0;        ///< the error of the double reference, relative to Σ|ab|
};

/// a·wᵀ, w exact [m, k]. Rigorous: enclosure.h. Calibrated, with A = Σ|ab|, X = Σab and
/// M = (A + |X|)/2, the larger one of the positive and of the negative terms, which no partial sum
/// in any order exceeds:
///   proxy += n'·u²·M²/3 (twice that where truncating): each of n' roundings errs by u·M at most,
///   uniformly; fixed += n'·u/2·(|X| + 2·√Σ(ab)²) where truncating: partial sums are that large on
///   average, and each loses half an ulp; fixed += scalings·u·|X| + the reference's own error;
///   expected += n'·u²/3·(X²/3 + Σ(ab)²/6), four times where truncating;
///   what a brings: fixed += Σ|w|·fixed, the squares += Σw²·(…), and a doubtful scale its
///   relative·|Σ over the group|.
/// Matrix products: a·wᵀ and its magnitude (rigorous), nominal·wᵀ where it differs from the
/// enclosure's middle, |nominal|·|w|ᵀ and fixed·|w|ᵀ, and nominal², proxy, variance and expected by
/// (w²)ᵀ: 3 where a is exact, 9 where it is not.
Carried multiply_transposed(const Carried& a, const Matrix& w, const SumErrors& errors);

void round(DType dtype, Carried& a);
void add_row(Carried& a, const Eigen::Ref<const Matrix>& row);
void add_constant(Carried& a, double constant);
void multiply_constant(Carried& a, double factor);
void clamp(Carried& a, double low, double high);
Carried multiply(const Carried& a, const Carried& b, Factors factors = Factors::kIndependent);
/// Row n times factors[n], in fp32.
void multiply_rows(Carried& a, const Eigen::VectorXd& factors);

}  // namespace plumbline::bounds
