#include "reference/bounds/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/ops/gemm.h"

/// Derivation (error_bounds 2.2). A device computes p'_j = p_j·(1 + δ_j), |δ_j| ≤ eps_j, so that
/// O' − O = Σ p_j δ_j (v_j − O) / (1 + Σ p_j δ_j): the weight of a score's error is |v − O|, not
/// |v|. eps_j = e^{e_j} − 1 with e_j the error of the logit and of the exponential:
///   γ(d)·scale·Σ|q·k| (through softcap, whose slope is 1 − tanh² and at most 1)
///   + 5u(|s| + |m|): scale, subtraction of the maximum m, change of base to 2
///   + 2^−21: the exponential
///   + tiles·(2^−22 + 2u·|m|): the rescaling of earlier tiles each time the running maximum rises;
///     differences of the maxima telescope, so that only the exponential and one rounding a tile
///     stay.
/// Σ p e |v − O| is taken by Cauchy–Schwarz, √(Σpe · Σpe(v − O)²), which is made of matrix
/// products; it is the tight value times at most a small factor (1.25 for normal v). Rounding P to
/// the io type adds Σ p d max(|v|, |v − O|): |v| where the denominator holds unrounded P, |v − O|
/// where it holds rounded ones; max(a, b) ≤ (a + b + |O|)/2 since the two differ by at most |O|.
/// The sums P·V and l add γ(keys + 3·tiles)·(Σp|v| + |O|), the division and the last rescale 4u|O|.
namespace plumbline::bounds {
namespace {

/// Keys of the smallest tile that a kernel is expected to use.
constexpr double kSmallestTile = 16;

/// Softmax weights of every row with the errors of their scores.
struct Weights {
  Matrix p;                ///< [sq, sk] softmax, 0 where not visible
  Matrix pe;               ///< [sq, sk] p·eps
  Eigen::ArrayXd sum_pe;   ///< [sq] Σ p·eps, sink included
  Eigen::ArrayXd largest;  ///< [sq] the largest logit, sink included
  Eigen::ArrayXd keys;     ///< [sq] visible keys
};

using Row = Eigen::Array<double, 1, Eigen::Dynamic>;

struct Logits {
  Row value;
  Row error;
};

double tiles_of(double keys) { return std::floor(keys / kSmallestTile) + 2; }

/// γ of a sum of `keys` products in tiles whose partial sums are rescaled.
double gamma_of_keys(double keys, const Profile& profile) {
  return gamma32(static_cast<std::int64_t>(keys + 3 * tiles_of(keys)), 0,
                 profile.accumulator == Accumulator::kFp32Truncating) +
         reference_gamma(static_cast<std::int64_t>(keys));
}

/// e^x − 1 from above for x ≥ 0.
double expm1_above(double x) { return x <= 1 ? x + x * x : std::exp(x); }

void scale_and_cap(const attention::HeadInputs& inputs, Logits& logits) {
  logits.value *= inputs.scale;
  logits.error *= std::abs(inputs.scale);
  if (!(inputs.softcap > 0)) return;
  const double cap = inputs.softcap;
  const Row t = (logits.value / cap).tanh();
  // The slope changes by at most its own derivative, 0.77/cap < 1/cap, times the error.
  const Row slope = (1 - t * t + logits.error / cap).min(1.0);
  logits.value = cap * t;
  logits.error = logits.error * slope + 0x1p-21 * logits.value.abs() + 0x1p-22 * cap;
}

/// One row: p and pe over the visible keys [first, first + logits.value.size()).
void weigh_row(const attention::HeadInputs& inputs, const Logits& logits, Eigen::Index row,
               Eigen::Index first, Weights& weights) {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  const Eigen::Index n = logits.value.size();
  const double sink = inputs.sink.value_or(kNone);
  const double m = std::max(logits.value.isFinite().select(logits.value, kNone).maxCoeff(), sink);
  weights.largest[row] = m;
  weights.keys[row] = static_cast<double>(n);
  if (!std::isfinite(m)) return;
  Row p = (logits.value - m).exp();
  p = p.isFinite().select(p, 0.0);
  const double sink_p = std::exp(sink - m);
  const double total = p.sum() + sink_p;
  const double shared = 5 * kUnit32 * std::abs(m) + 0x1p-21 +
                        tiles_of(weights.keys[row]) * (0x1p-22 + 2 * kUnit32 * std::abs(m));
  double sum = sink_p > 0 ? sink_p / total * expm1_above(5 * kUnit32 * std::abs(sink) + shared) : 0;
  for (Eigen::Index j = 0; j < n; ++j) {
    const double value = p[j] / total;
    const double error = logits.error[j] + 5 * kUnit32 * std::abs(logits.value[j]) + shared;
    weights.p(row, first + j) = value;
    weights.pe(row, first + j) = value > 0 ? value * expm1_above(error) : 0.0;
    sum += weights.pe(row, first + j);
  }
  weights.sum_pe[row] = sum;
}

Weights weights_of(const attention::HeadInputs& inputs, const Profile& profile) {
  const Eigen::Index rows = inputs.q.rows();
  const std::int64_t d = inputs.q.cols();
  const Matrix dot = ops::matmul_transposed(inputs.q, inputs.k);
  const Matrix magnitude = ops::matmul_transposed(inputs.q.cwiseAbs(), inputs.k.cwiseAbs());
  // Two more terms: q and k may each be multiplied by √scale before the product.
  const double gamma =
      gamma32(d + 2, 0, profile.accumulator == Accumulator::kFp32Truncating) + reference_gamma(d);
  Weights weights{Matrix::Zero(rows, inputs.k.rows()), Matrix::Zero(rows, inputs.k.rows()),
                  Eigen::ArrayXd::Zero(rows), Eigen::ArrayXd::Zero(rows),
                  Eigen::ArrayXd::Zero(rows)};
  for (Eigen::Index row = 0; row < rows; ++row) {
    const auto [first, last] = inputs.visible(row);
    if (last <= first) continue;
    Logits logits{dot.row(row).segment(first, last - first).array(),
                  gamma * magnitude.row(row).segment(first, last - first).array()};
    scale_and_cap(inputs, logits);
    weigh_row(inputs, logits, row, first, weights);
  }
  return weights;
}

/// Σ w (v − O)² = Σwv² − 2O Σwv + O² Σw, from above: the cancellation in double is added back.
Row spread(const Row& wv2, const Row& wv, const Row& o, double w) {
  const Row raw = wv2 - 2 * o * wv + o * o * w;
  return raw.max(0.0) + 0x1p-45 * (wv2 + o * o * w);
}

/// Matrix products with the values: |v| and v² under p, v and v² under pe.
struct Moments {
  Matrix abs_v, v2, ev, ev2;
};

Moments moments_of(const Weights& weights, const Matrix& v) {
  const Matrix squares = v.cwiseProduct(v);
  return {weights.p * v.cwiseAbs(), weights.p * squares, weights.pe * v, weights.pe * squares};
}

/// Error that rounding P to `io` brings to one row.
Row probability_term(DType io, const Moments& moments, const Row& o, double keys, Eigen::Index row,
                     double largest_v) {
  const Format& format = format_of(io);
  const Row away = spread(moments.v2.row(row).array(), o, o, 1.0).sqrt();
  const Row larger = (moments.abs_v.row(row).array() + away + o.abs()) / 2;
  // Below the smallest normal number the error of a p is absolute: half the subnormal spacing.
  const double subnormal = std::ldexp(1.0, format.min_exponent() - format.mantissa_bits - 1);
  return format.unit_roundoff() * larger + keys * subnormal * largest_v;
}

Row row_radius(const Weights& weights, const Moments& moments, const Row& o, Eigen::Index row,
               const Row& p_term, double gamma) {
  const double sum = weights.sum_pe[row];
  const Row scores =
      (sum * spread(moments.ev2.row(row).array(), moments.ev.row(row).array(), o, sum)).sqrt();
  const double shrink = 1 - sum;
  if (!(shrink > 0)) return Row::Constant(o.size(), std::numeric_limits<double>::infinity());
  return (scores + p_term * (1 + sum)) / shrink +
         gamma * (moments.abs_v.row(row).array() + o.abs()) * (1 + sum) + 4 * kUnit32 * o.abs();
}

/// Radius of log Σ e^s: relative error of the sum, the logarithm (2^−21), its sum with m.
double lse_radius(double lse, const Weights& weights, Eigen::Index row, double gamma) {
  const double m = std::abs(weights.largest[row]);
  return -std::log1p(-std::min(weights.sum_pe[row], 1.0)) + gamma + 0x1p-21 +
         4 * kUnit32 * (std::abs(lse) + m) + half_ulp(DType::kF32, std::abs(lse));
}

/// Entries that are not finite count as 0: what they do to a row that sees them stands in the
/// value.
Matrix finite_part(const Matrix& values) {
  return values.array().isFinite().select(values, Matrix::Zero(values.rows(), values.cols()));
}

}  // namespace

HeadExpected attention(const attention::HeadInputs& inputs, const Profile& profile, DType io) {
  const attention::HeadOutputs reference = attention::attend(inputs);
  const Matrix v = finite_part(inputs.v);
  const double largest_v = v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0;
  const Weights weights = weights_of(inputs, profile);
  const Moments moments = moments_of(weights, v);
  HeadExpected expected{Enclosure::exact(reference.out), reference.lse, {}};
  expected.lse_radius.assign(reference.lse.size(), 0.0);
  for (Eigen::Index row = 0; row < reference.out.rows(); ++row) {
    if (weights.keys[row] == 0) continue;
    const Row o = reference.out.row(row).array();
    const double gamma = gamma_of_keys(weights.keys[row], profile);
    Row p_term = Row::Zero(o.size());
    if (profile.probability == Probability::kIo) {
      p_term = probability_term(io, moments, o, weights.keys[row], row, largest_v);
    }
    expected.out.radius.row(row) = row_radius(weights, moments, o, row, p_term, gamma).matrix();
    const double lse = reference.lse[static_cast<std::size_t>(row)];
    if (std::isfinite(lse)) {
      expected.lse_radius[static_cast<std::size_t>(row)] = lse_radius(lse, weights, row, gamma);
    }
  }
  add_output_rounding(io, expected.out);
  return expected;
}

}  // namespace plumbline::bounds
