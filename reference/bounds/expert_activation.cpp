#include "reference/bounds/expert_activation.h"

#include <limits>

#include "reference/bounds/carried.h"

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

/// A function at the nominal values: |slope| and a bound of |f''|, and the function's own error.
struct Curve {
  Block value;
  Block slope;
  double bend;
  Block own;
};

/// The slope carries what is of first order; of second order the mean, bend/2·E(δ²), is systematic,
/// the rest random and at most half of bend/2·reach².
Nominal smooth(const Nominal& x, const Matrix& reached, const Curve& curve) {
  const auto& [value, slope, bend, own] = curve;
  const Block slope2 = slope * slope;
  const Block fixed = x.fixed.array();
  const Block second = bend / 2 * reached.array().square();
  Nominal f;
  f.value = value.matrix();
  f.fixed =
      (slope * fixed +
       bend / 2 * (2 * x.variance.array() + fixed.square()).min(reached.array().square()) + own)
          .matrix();
  f.proxy = (slope2 * x.proxy.array() + second.square() / 4).matrix();
  f.variance = (slope2 * x.variance.array()).matrix();
  f.expected = (slope2 * x.expected.array() + own.square() / 36).matrix();
  return f;
}

/// Where the enclosure after the function is exact, the nominal value is that.
void settle(const Enclosure& after, Nominal& nominal) {
  for (Eigen::Index n = 0; n < nominal.value.size(); ++n) {
    if (after.radius.data()[n] == 0) nominal.set(n, {after.mid.data()[n], 0, 0, 0, 0});
  }
}

Carried sigmoid(const Carried& x) {
  Carried result;
  result.rigorous = sigmoid(x.rigorous);
  if (!x.nominal) return result;
  const Block s = sigmoid_of(x.nominal->value);
  const Block own = 0x1p-22 * (3 + 1.5 * x.nominal->value.array().abs() * (1 - s)) * s + kFloor;
  result.nominal = smooth(*x.nominal, reach(*x.nominal, x.rigorous), {s, s * (1 - s), 0.1, own});
  settle(result.rigorous, *result.nominal);
  return result;
}

Carried silu(const Carried& g, double alpha) {
  Carried result;
  result.rigorous = silu(g.rigorous, alpha);
  if (!g.nominal) return result;
  const Block x = g.nominal->value.array();
  const Block s = sigmoid_of(alpha * g.nominal->value);
  const Block f = x * s;
  const Block slope = (s * (1 + alpha * x * (1 - s))).abs();
  const Block own = 0x1p-22 * (3 + 1.5 * std::abs(alpha) * x.abs() * (1 - s)) * f.abs() + kFloor;
  result.nominal =
      smooth(*g.nominal, reach(*g.nominal, g.rigorous), {f, slope, std::abs(alpha) / 2, own});
  settle(result.rigorous, *result.nominal);
  return result;
}

Carried gate_of(const Carried& gemm1) { return gemm1.columns(0, gemm1.rigorous.mid.cols() / 2); }

Carried up_of(const Carried& gemm1) {
  const Eigen::Index i = gemm1.rigorous.mid.cols() / 2;
  return gemm1.columns(i, i);
}

/// g·σ(alpha·g) as three operations: alpha·g, σ, product, each rounded to io.
Carried gated_by_operation(const Carried& g, const ExpertArithmetic& arithmetic) {
  Carried x = g;
  multiply_constant(x, arithmetic.activation.alpha);
  round(arithmetic.io, x);
  Carried s = sigmoid(x);
  round(arithmetic.io, s);
  Carried product = multiply(g, s, Factors::kRelated);
  round(arithmetic.io, product);
  return product;
}

Carried gated(const Carried& gemm1, const ExpertArithmetic& arithmetic) {
  const Activation& activation = arithmetic.activation;
  const bool each = arithmetic.profile.rounding == ExpertRounding::kEveryOperation;
  const bool swiglu = activation.kind == Activation::Kind::kSwiglu;
  Carried g = gate_of(gemm1);
  Carried u = up_of(gemm1);
  if (swiglu && activation.limit > 0) {
    clamp(g, -kInfinity, activation.limit);
    clamp(u, -activation.limit, activation.limit);
  }
  if (swiglu) {
    add_constant(u, activation.beta);
    if (each) round(arithmetic.io, u);
  }
  // The silu of a library is one operation; a swiglu is written out.
  Carried f =
      each && swiglu ? gated_by_operation(g, arithmetic) : silu(g, swiglu ? activation.alpha : 1.0);
  if (each || arithmetic.profile.activation_rounded_before_product) {
    round(arithmetic.io, f);
  }
  return multiply(f, u);
}

}  // namespace

Carried activate(const Carried& gemm1, const ExpertArithmetic& arithmetic) {
  Carried result;
  if (arithmetic.activation.gated()) {
    result = gated(gemm1, arithmetic);
  } else {
    Carried h = gemm1;
    clamp(h, 0, kInfinity);
    result = multiply(h, h, Factors::kRelated);
  }
  if (arithmetic.profile.rounding != ExpertRounding::kOutput) {
    round(arithmetic.io, result);
  }
  return result;
}

}  // namespace plumbline::bounds
