#include "reference/bounds/expert_activation.h"

#include <limits>

#include "reference/bounds/enclosure.h"

namespace plumbline::bounds {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Below this an exponential may be flushed to zero or overflow on the way (error_bounds 2.1).
constexpr double kFloor = 0x1p-120;

using Block = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Block sigmoid_of(const Matrix& x) { return 1 / (1 + (-x.array()).exp()); }

/// σ(x) with slope σ(1 − σ) and |σ''| < 0.1; the function itself errs by 2^−22 a few times over,
/// and by the rounding of its argument, |x|·(1 − σ) relative.
Enclosure sigmoid(const Enclosure& x) {
  const Block s = sigmoid_of(x.mid);
  const Block r = x.radius.array();
  const Block own = 0x1p-22 * (3 + 1.5 * x.mid.array().abs() * (1 - s)) * s + kFloor;
  // σ stays in [0, 1] whatever its argument: an infinite radius must not make NaN of it.
  return {s.matrix(), ((s * (1 - s) * r + 0.05 * r * r).min(1.0) + own).matrix()};
}

/// f(g) = g·σ(alpha·g) in fp32: |f'| at the middle, |f''| ≤ alpha/2.
Enclosure silu(const Enclosure& g, double alpha) {
  const Block x = g.mid.array();
  const Block s = sigmoid_of(alpha * g.mid);
  const Block f = x * s;
  const Block slope = (s * (1 + alpha * x * (1 - s))).abs();
  const Block r = g.radius.array();
  const Block own = 0x1p-22 * (3 + 1.5 * std::abs(alpha) * x.abs() * (1 - s)) * f.abs() + kFloor;
  // Where the slope has died out |x|·(1 − σ) may be ∞·0: the value is 0 there.
  const Block radius = slope * r + std::abs(alpha) / 4 * r * r + own;
  // From here on exp(−x) is below half an ulp of 1 in fp32, so that σ = 1 and f = g.
  constexpr double kSaturated = 20;
  const auto exact = (r == 0 && (alpha * x >= kSaturated || x == 0)).eval();
  return {exact.select(x, f).matrix(), exact.select(0.0, radius).matrix()};
}

Enclosure gate_of(const Enclosure& gemm1) {
  const Eigen::Index i = gemm1.mid.cols() / 2;
  return {gemm1.mid.leftCols(i), gemm1.radius.leftCols(i)};
}

Enclosure up_of(const Enclosure& gemm1) {
  const Eigen::Index i = gemm1.mid.cols() / 2;
  return {gemm1.mid.rightCols(i), gemm1.radius.rightCols(i)};
}

/// g·σ(alpha·g) as three operations: alpha·g, σ, product, each rounded to io.
Enclosure gated_by_operation(const Enclosure& g, const ExpertArithmetic& arithmetic) {
  Enclosure x = g;
  multiply_constant(x, arithmetic.activation.alpha);
  round_enclosure(arithmetic.io, x);
  Enclosure s = sigmoid(x);
  round_enclosure(arithmetic.io, s);
  Enclosure product = multiply(g, s);
  round_enclosure(arithmetic.io, product);
  return product;
}

Enclosure gated(const Enclosure& gemm1, const ExpertArithmetic& arithmetic) {
  const Activation& activation = arithmetic.activation;
  const bool each = arithmetic.profile.rounding == ExpertRounding::kEveryOperation;
  const bool swiglu = activation.kind == Activation::Kind::kSwiglu;
  Enclosure g = gate_of(gemm1);
  Enclosure u = up_of(gemm1);
  if (swiglu && activation.limit > 0) {
    clamp(g, -kInfinity, activation.limit);
    clamp(u, -activation.limit, activation.limit);
  }
  if (swiglu) {
    add_constant(u, activation.beta);
    if (each) round_enclosure(arithmetic.io, u);
  }
  // The silu of a library is one operation; a swiglu is written out.
  Enclosure f =
      each && swiglu ? gated_by_operation(g, arithmetic) : silu(g, swiglu ? activation.alpha : 1.0);
  if (each || arithmetic.profile.activation_rounded_before_product) {
    round_enclosure(arithmetic.io, f);
  }
  return multiply(f, u);
}

}  // namespace

Enclosure activate(const Enclosure& gemm1, const ExpertArithmetic& arithmetic) {
  Enclosure result;
  if (arithmetic.activation.gated()) {
    result = gated(gemm1, arithmetic);
  } else {
    Enclosure h = gemm1;
    clamp(h, 0, kInfinity);
    result = multiply(h, h);
  }
  if (arithmetic.profile.rounding != ExpertRounding::kOutput) {
    round_enclosure(arithmetic.io, result);
  }
  return result;
}

}  // namespace plumbline::bounds
