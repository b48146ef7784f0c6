#include "reference/bounds/nominal.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plumbline::bounds {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// K(p) of Kearns and Saul: d²·K(p) is the variance proxy of a step d taken with chance p. 1/4 at
/// p = 1/2, where the formula is 0/0.
double kearns_saul(double p) {
  const double bounded = std::clamp(p, 1e-12, 0.5);
  if (bounded > 0.499) return 0.25;
  return (1 - 2 * bounded) / (2 * std::log((1 - bounded) / bounded));
}

/// Points and weights of a normal distribution.
struct Quadrature {
  static constexpr int kPoints = 13;
  double at[kPoints];
  double weight[kPoints];
};

Quadrature normal_quadrature() {
  Quadrature q{};
  double sum = 0;
  for (int n = 0; n < Quadrature::kPoints; ++n) {
    q.at[n] = 0.5 * n - 3;
    q.weight[n] = std::exp(-q.at[n] * q.at[n] / 2);
    sum += q.weight[n];
  }
  for (double& weight : q.weight) weight /= sum;
  return q;
}

/// A chunk of elements, field by field, in units of the step's scale.
struct Chunk {
  double x[kChunk];
  double sigma[kChunk];
  double step[kChunk];
  double square[kChunk];
};

/// square[j] = mean square of step(x + σz) − step(x): over the points outside, over the elements
/// inside, so that the inner loop vectorises.
void mean_squares(const Step& step, std::size_t n, Chunk& chunk) {
  static const Quadrature points = normal_quadrature();
  std::fill_n(chunk.square, n, 0.0);
  for (int k = 0; k < Quadrature::kPoints; ++k) {
    const double z = points.at[k];
    const double weight = points.weight[k];
    for (std::size_t j = 0; j < n; ++j) {
      const double moved = step.grid(chunk.x[j] + chunk.sigma[j] * z);
      const double away = std::clamp(moved, -step.largest, step.largest) - chunk.step[j];
      chunk.square[j] += weight * away * away;
    }
  }
}

/// What is known of an element at the edge of a step.
struct Edge {
  double reached;
  double spacing;
  double mean_square;
  double expected_square;
};

/// The new deviation, once the mean squares are known. The factor 1.5 on the mean square covers a
/// variance that is itself an estimate; a flip that the 13 points do not see still counts with a
/// chance of 1e-3.
void flip(const Edge& edge, const Images& images, Deviation& d) {
  constexpr double kDoubt = 1.5;
  constexpr double kUnseen = 1e-3;
  const double jump = std::max(images.high - images.value, images.value - images.low);
  const Deviation before = d;
  d = {images.value, kInfinity, 0, 0, 0};
  if (!std::isfinite(jump)) return;
  const double square = jump * jump;
  d.variance = edge.mean_square > 0 ? edge.mean_square : kUnseen * square;
  const double broad = std::sqrt(before.proxy) + edge.spacing / std::sqrt(6.0);
  d.proxy = std::min(square * kearns_saul(kDoubt * d.variance / square), broad * broad);
  // A systematic part moves the value over the edge in that share of its reach. Where nothing
  // reaches anywhere the step itself is in doubt, for a whole device.
  const double share =
      edge.reached > 0 ? before.fixed * (images.high - images.low) / (2 * edge.reached) : jump;
  d.fixed = std::min(jump, share);
  // Rare flips come in numbers: what happens at all is expected with a fifth of its square.
  const bool happens = edge.expected_square > kUnseen * square;
  d.expected = happens ? std::max(edge.expected_square, 0.2 * square) : edge.expected_square;
}

/// Rounds a chunk of the matrices that begins at `first`.
void round_chunk(DType dtype, const Enclosure& rigorous, Eigen::Index first, Eigen::Index count,
                 Nominal& nominal) {
  const Rounder round(dtype);
  Deviation elements[kChunk];
  double reaches[kChunk];
  Images images[kChunk];
  for (Eigen::Index j = 0; j < count; ++j) {
    Deviation& d = elements[j];
    d = nominal.at(first + j);
    const double reached =
        reach(d, rigorous.mid.data()[first + j], rigorous.radius.data()[first + j]);
    reaches[j] = std::isfinite(d.value) ? reached : 0;
    images[j] = {round(d.value - reaches[j]), round(d.value), round(d.value + reaches[j])};
    // What is not finite is met exactly.
    if (!std::isfinite(d.value)) images[j] = {0, 0, 0};
  }
  const auto n = static_cast<std::size_t>(count);
  through_step({Grid(dtype)}, {reaches, n}, {images, n}, {elements, n});
  for (Eigen::Index j = 0; j < count; ++j) {
    if (!std::isfinite(nominal.value.data()[first + j])) {
      elements[j].value = nominal.value.data()[first + j];
    }
    nominal.set(first + j, elements[j]);
  }
}

}  // namespace

void through_step(const Step& step, std::span<const double> reaches, std::span<const Images> images,
                  std::span<Deviation> elements) {
  const std::size_t n = elements.size();
  const auto steady = [&](std::size_t j) { return images[j].low == images[j].high; };
  bool any = false;
  for (std::size_t j = 0; j < n; ++j) any |= !steady(j);
  Chunk chunk;
  Chunk expected;
  for (std::size_t j = 0; j < n && any; ++j) {
    const double shift = elements[j].fixed * elements[j].fixed / 3;
    chunk.x[j] = expected.x[j] = elements[j].value / step.scale;
    chunk.step[j] = expected.step[j] = images[j].value / step.scale;
    chunk.sigma[j] = std::sqrt(elements[j].variance + shift) / step.scale;
    expected.sigma[j] = std::sqrt(elements[j].expected + shift) / step.scale;
  }
  if (any) mean_squares(step, n, chunk);
  if (any) mean_squares(step, n, expected);
  const double scale2 = step.scale * step.scale;
  for (std::size_t j = 0; j < n; ++j) {
    if (steady(j)) {
      elements[j] = {images[j].value, 0, 0, 0, 0};
      continue;
    }
    const double spacing = step.scale * step.grid.spacing(images[j].value / step.scale);
    const Edge edge{reaches[j], spacing, scale2 * chunk.square[j], scale2 * expected.square[j]};
    flip(edge, images[j], elements[j]);
  }
}

Nominal Nominal::exact(Matrix values) {
  const Matrix zero = Matrix::Zero(values.rows(), values.cols());
  return {std::move(values), zero, zero, zero, zero};
}

Deviation Nominal::at(Eigen::Index n) const {
  return {value.data()[n], fixed.data()[n], proxy.data()[n], variance.data()[n],
          expected.data()[n]};
}

void Nominal::set(Eigen::Index n, const Deviation& to) {
  value.data()[n] = to.value;
  fixed.data()[n] = to.fixed;
  proxy.data()[n] = to.proxy;
  variance.data()[n] = to.variance;
  expected.data()[n] = to.expected;
}

Nominal Nominal::columns(Eigen::Index first, Eigen::Index count) const {
  return {value.middleCols(first, count), fixed.middleCols(first, count),
          proxy.middleCols(first, count), variance.middleCols(first, count),
          expected.middleCols(first, count)};
}

double reach(const Deviation& d, double mid, double radius) {
  return std::min(d.fixed + Calibrated::kLambda * std::sqrt(d.proxy),
                  std::abs(d.value - mid) + radius);
}

Matrix reach(const Nominal& nominal, const Enclosure& rigorous) {
  return (nominal.fixed + Calibrated::kLambda * nominal.proxy.cwiseSqrt())
      .cwiseMin((nominal.value - rigorous.mid).cwiseAbs() + rigorous.radius);
}

void round_nominal(DType dtype, const Enclosure& rigorous, Nominal& nominal) {
  for (Eigen::Index first = 0; first < nominal.value.size(); first += kChunk) {
    round_chunk(dtype, rigorous, first,
                std::min<Eigen::Index>(kChunk, nominal.value.size() - first), nominal);
  }
}

void round_to_fp32(const Enclosure& after, Nominal& nominal) {
  for (Eigen::Index n = 0; n < nominal.value.size(); ++n) {
    if (after.radius.data()[n] == 0) {
      nominal.set(n, {after.mid.data()[n], 0, 0, 0, 0});
      continue;
    }
    const double error = kUnit32 * std::abs(nominal.value.data()[n]);
    nominal.fixed.data()[n] += error;
    nominal.expected.data()[n] += error * error / 12;
  }
}

void clamp(double low, double high, const Enclosure& before, Nominal& nominal) {
  for (Eigen::Index n = 0; n < nominal.value.size(); ++n) {
    Deviation d = nominal.at(n);
    const double reached = reach(d, before.mid.data()[n], before.radius.data()[n]);
    const bool beyond = d.value - reached >= high || d.value + reached <= low;
    const double limited = std::isnan(d.value) ? d.value : std::clamp(d.value, low, high);
    if (beyond) d = {};
    d.value = limited;
    nominal.set(n, d);
  }
}

/// Second-order terms use the reaches, which the rigorous track caps.
Nominal multiply(const Factor& a, const Factor& b, Factors factors) {
  const Matrix x = a.nominal.value.cwiseAbs();
  const Matrix y = b.nominal.value.cwiseAbs();
  const auto combined = [&](const Matrix& of_a, const Matrix& of_b) -> Matrix {
    const Matrix from_b = x.cwiseAbs2().cwiseProduct(of_b);
    const Matrix from_a = y.cwiseAbs2().cwiseProduct(of_a);
    if (factors == Factors::kIndependent) return from_a + from_b;
    return (from_a.cwiseSqrt() + from_b.cwiseSqrt()).cwiseAbs2();
  };
  const Nominal& p = a.nominal;
  const Nominal& q = b.nominal;
  Nominal product;
  product.value = p.value.cwiseProduct(q.value);
  product.fixed = x.cwiseProduct(q.fixed) + y.cwiseProduct(p.fixed) + p.fixed.cwiseProduct(q.fixed);
  product.proxy = combined(p.proxy, q.proxy) + a.reach.cwiseProduct(b.reach).cwiseAbs2();
  product.variance = combined(p.variance, q.variance) + 2 * p.variance.cwiseProduct(q.variance);
  product.expected = combined(p.expected, q.expected);
  return product;
}

void scale_rows(const Eigen::VectorXd& factors, Nominal& nominal) {
  const Eigen::VectorXd squares = factors.cwiseAbs2();
  nominal.value = factors.asDiagonal() * nominal.value;
  nominal.fixed = factors.cwiseAbs().asDiagonal() * nominal.fixed;
  nominal.proxy = squares.asDiagonal() * nominal.proxy;
  nominal.variance = squares.asDiagonal() * nominal.variance;
  nominal.expected = squares.asDiagonal() * nominal.expected;
}

Calibrated calibrated_output(DType dtype, const Nominal& nominal, const Enclosure& rigorous) {
  Calibrated out;
  const auto size = static_cast<std::size_t>(nominal.value.size());
  for (auto* part : {&out.value, &out.radius, &out.fixed, &out.sigma, &out.variance}) {
    part->assign(size, 0.0);
  }
  for (std::size_t n = 0; n < size; ++n) {
    const auto at = static_cast<Eigen::Index>(n);
    const double mid = rigorous.mid.data()[n];
    const double radius = rigorous.radius.data()[n];
    const Deviation d = nominal.at(at);
    out.value[n] = radius == 0 || !std::isfinite(mid) ? mid : d.value;
    if (out.value[n] != d.value || radius == 0) continue;
    const double last = half_ulp(dtype, std::abs(d.value) + reach(d, mid, radius));
    out.fixed[n] = d.fixed + last;
    out.sigma[n] = std::sqrt(d.proxy);
    out.variance[n] = d.expected + last * last / 3;
    const double cap = std::abs(d.value - mid) + radius;
    const double free = out.fixed[n] + Calibrated::kLambda * out.sigma[n];
    out.radius[n] = free < cap ? free : cap;
    if (std::isnan(out.radius[n])) out.radius[n] = kInfinity;
  }
  return out;
}

}  // namespace plumbline::bounds
