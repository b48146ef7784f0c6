#include "reference/bounds/enclosure.h"

#include "reference/bounds/exact.h"
#include "reference/ops/gemm.h"

namespace plumbline::bounds {

Enclosure multiply_transposed(const Enclosure& a, const Matrix& w, double gamma) {
  if (multiplies_exactly(a, w)) return Enclosure::exact(ops::matmul_transposed(a.mid, w));
  const Matrix spread = gamma * a.mid.cwiseAbs() + (1 + gamma) * a.radius;
  Enclosure product{ops::matmul_transposed(a.mid, w), ops::matmul_transposed(spread, w.cwiseAbs())};
  add_underflow(w.cols(), product.radius);
  return product;
}

void add_row(Enclosure& a, const Eigen::Ref<const Matrix>& row) {
  a.mid.rowwise() += row.row(0);
  round_to_fp32(a);
}

void add_constant(Enclosure& a, double constant) {
  if (constant == 0) return;
  a.mid.array() += constant;
  round_to_fp32(a);
}

Enclosure multiply(const Enclosure& a, const Enclosure& b) {
  Enclosure product{
      a.mid.cwiseProduct(b.mid),
      a.mid.cwiseAbs().cwiseProduct(b.radius) + a.radius.cwiseProduct(b.mid.cwiseAbs() + b.radius)};
  round_to_fp32(product);
  return product;
}

void multiply_constant(Enclosure& a, double factor) {
  a.mid *= factor;
  a.radius *= std::abs(factor);
  round_to_fp32(a);
}

void clamp(Enclosure& a, double low, double high) {
  const Matrix from = (a.mid - a.radius).cwiseMax(low).cwiseMin(high);
  const Matrix to = (a.mid + a.radius).cwiseMax(low).cwiseMin(high);
  const auto nan = a.mid.array().isNaN();
  a.mid = nan.select(a.mid, from + (to - from) / 2);
  a.radius = nan.select(a.radius, (to - from) / 2);
}

}  // namespace plumbline::bounds
