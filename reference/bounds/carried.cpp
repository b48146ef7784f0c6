#include "reference/bounds/carried.h"

#include "reference/bounds/exact.h"

namespace plumbline::bounds {

Carried Carried::exact(Matrix values, bool calibrated) {
  Carried carried;
  if (calibrated) carried.nominal = Nominal::exact(values);
  carried.rigorous = Enclosure::exact(std::move(values));
  return carried;
}

Carried Carried::columns(Eigen::Index first, Eigen::Index count) const {
  Carried part;
  part.rigorous = {rigorous.mid.middleCols(first, count), rigorous.radius.middleCols(first, count)};
  if (nominal) part.nominal = nominal->columns(first, count);
  return part;
}

void round(DType dtype, Carried& a) {
  if (a.nominal) round_nominal(dtype, a.rigorous, *a.nominal);
  round_enclosure(dtype, a.rigorous);
}

void add_row(Carried& a, const Eigen::Ref<const Matrix>& row) {
  add_row(a.rigorous, row);
  if (!a.nominal) return;
  a.nominal->value.rowwise() += row.row(0);
  round_to_fp32(a.rigorous, *a.nominal);
}

void add_constant(Carried& a, double constant) {
  if (constant == 0) return;
  add_constant(a.rigorous, constant);
  if (!a.nominal) return;
  a.nominal->value.array() += constant;
  round_to_fp32(a.rigorous, *a.nominal);
}

void multiply_constant(Carried& a, double factor) {
  multiply_rows(a, Eigen::VectorXd::Constant(a.rigorous.mid.rows(), factor));
}

void clamp(Carried& a, double low, double high) {
  if (a.nominal) clamp(low, high, a.rigorous, *a.nominal);
  clamp(a.rigorous, low, high);
}

Carried multiply(const Carried& a, const Carried& b, Factors factors) {
  Carried product;
  product.rigorous = multiply(a.rigorous, b.rigorous);
  if (!a.nominal) return product;
  const Matrix reach_a = reach(*a.nominal, a.rigorous);
  const Matrix reach_b = reach(*b.nominal, b.rigorous);
  product.nominal = multiply({*a.nominal, reach_a}, {*b.nominal, reach_b}, factors);
  round_to_fp32(product.rigorous, *product.nominal);
  return product;
}

void multiply_rows(Carried& a, const Eigen::VectorXd& factors) {
  a.rigorous.mid = factors.asDiagonal() * a.rigorous.mid;
  a.rigorous.radius = factors.cwiseAbs().asDiagonal() * a.rigorous.radius;
  round_to_fp32(a.rigorous);
  if (!a.nominal) return;
  scale_rows(factors, *a.nominal);
  round_to_fp32(a.rigorous, *a.nominal);
}

}  // namespace plumbline::bounds
