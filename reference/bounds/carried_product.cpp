#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <span>
#include <vector>

#include "reference/bounds/carried.h"
#include "reference/bounds/exact.h"
#include "reference/ops/gemm.h"
#include "reference/spec/status.h"

namespace plumbline::bounds {
namespace {

/// Left operands that meet the same right one, stacked: one product a kind.
struct Stacks {
  Matrix plain;      ///< · wᵀ
  Matrix magnitude;  ///< · |w|ᵀ
  Matrix square;     ///< · (w²)ᵀ
};

Matrix stacked(std::initializer_list<const Matrix*> parts) {
  Eigen::Index rows = 0;
  for (const Matrix* part : parts) rows += part->rows();
  Matrix all(rows, (*parts.begin())->cols());
  Eigen::Index row = 0;
  for (const Matrix* part : parts) {
    all.middleRows(row, part->rows()) = *part;
    row += part->rows();
  }
  return all;
}

/// The products, a panel of w at a time, so that its magnitudes and squares stay in the cache. The
/// left side is packed again for each panel: the more rows it has, the wider the panels.
Stacks multiply_stacks(const Stacks& left, const Matrix& w) {
  const Eigen::Index panel = std::max<Eigen::Index>(16, 4 * left.plain.rows());
  Stacks product{Matrix(left.plain.rows(), w.rows()), Matrix(left.magnitude.rows(), w.rows()),
                 Matrix(left.square.rows(), w.rows())};
  for (Eigen::Index first = 0; first < w.rows(); first += panel) {
    const Eigen::Index count = std::min(panel, w.rows() - first);
    const auto rows = w.middleRows(first, count);
    const Matrix magnitude = rows.cwiseAbs();
    const Matrix square = rows.cwiseAbs2();
    product.plain.middleCols(first, count).noalias() = left.plain * rows.transpose();
    product.magnitude.middleCols(first, count).noalias() = left.magnitude * magnitude.transpose();
    product.square.middleCols(first, count).noalias() = left.square * square.transpose();
  }
  return product;
}

/// What the sum itself adds, from X = `nominal.value`, A = `magnitude` and Σ(ab)² = `squares`.
void add_sum_errors(const SumErrors& errors, const Matrix& magnitude, const Matrix& squares,
                    Nominal& nominal) {
  const double n = static_cast<double>(errors.roundings);
  const double rounding = n * kUnit32 * kUnit32 / 3;
  const Matrix x = nominal.value.cwiseAbs();
  const Matrix largest2 = ((magnitude + x) / 2).cwiseAbs2();
  nominal.proxy += (errors.truncating ? 2 : 1) * rounding * largest2;
  nominal.variance += (errors.truncating ? 2 : 1) * rounding * largest2;
  nominal.expected +=
      (errors.truncating ? 4 : 1) * rounding * (x.cwiseAbs2() / 3 + squares.cwiseAbs() / 6);
  const double scaling = static_cast<double>(errors.scalings) * kUnit32;
  nominal.fixed += errors.reference * magnitude + scaling * x;
  nominal.expected += scaling * scaling / 12 * x.cwiseAbs2();
  if (errors.truncating) {
    nominal.fixed += n * kUnit32 / 2 * (x + 2 * squares.cwiseAbs().cwiseSqrt());
  }
}

/// Rows `rows` move by relative·|sum| each.
void add_moved(const SharedScale& scale, Eigen::Index group, std::span<const Eigen::Index> rows,
               const Matrix& sums, Nominal& nominal) {
  for (std::size_t n = 0; n < rows.size(); ++n) {
    const Matrix moved =
        scale.relative(rows[n], group) * sums.row(static_cast<Eigen::Index>(n)).cwiseAbs();
    nominal.fixed.row(rows[n]) += moved;
    nominal.expected.row(rows[n]) += moved.cwiseAbs2() / 9;
  }
}

/// Doubtful scales: relative·|Σ over the group| each. One group is the whole sum.
void add_scale_errors(const SharedScale& scale, const Matrix& a, const Matrix& w,
                      Nominal& nominal) {
  for (Eigen::Index g = 0; g < scale.relative.cols(); ++g) {
    const Eigen::Index first = g * scale.group;
    const Eigen::Index count = std::min(scale.group, a.cols() - first);
    std::vector<Eigen::Index> rows;
    for (Eigen::Index row = 0; row < a.rows(); ++row) {
      if (scale.relative(row, g) != 0) rows.push_back(row);
    }
    if (rows.empty()) continue;
    Matrix sums = nominal.value(rows, Eigen::all);
    if (count < a.cols()) {
      const Matrix part = a(rows, Eigen::seqN(first, count));
      sums.noalias() = part * w.middleCols(first, count).transpose();
    }
    add_moved(scale, g, rows, sums, nominal);
  }
}

Enclosure rigorous_product(const Matrix& mid, Matrix magnitude, std::int64_t terms) {
  add_underflow(terms, magnitude);
  return {mid, std::move(magnitude)};
}

/// a is exact: its middle is the nominal value, and its magnitude serves both tracks.
Carried multiply_exact(const Matrix& a, const Matrix& w, const SumErrors& errors) {
  const Stacks product = multiply_stacks({a, a.cwiseAbs(), a.cwiseAbs2()}, w);
  Carried result;
  result.rigorous = rigorous_product(
      product.plain, (errors.gamma + errors.reference) * product.magnitude, w.cols());
  result.nominal = Nominal::exact(product.plain);
  add_sum_errors(errors, product.magnitude, product.square, *result.nominal);
  return result;
}

Carried multiply_doubtful(const Carried& a, const Matrix& w, const SumErrors& errors) {
  const Nominal& from = *a.nominal;
  const Eigen::Index n = from.value.rows();
  const double gamma = errors.gamma + errors.reference;
  const Matrix spread = gamma * a.rigorous.mid.cwiseAbs() + (1 + gamma) * a.rigorous.radius;
  const Matrix magnitude = from.value.cwiseAbs();
  const Matrix square = from.value.cwiseAbs2();
  const Stacks product = multiply_stacks(
      {stacked({&a.rigorous.mid, &from.value}), stacked({&spread, &magnitude, &from.fixed}),
       stacked({&square, &from.proxy, &from.variance, &from.expected})},
      w);
  Carried result;
  result.rigorous =
      rigorous_product(product.plain.topRows(n), product.magnitude.topRows(n), w.cols());
  result.nominal = Nominal{product.plain.bottomRows(n), product.magnitude.bottomRows(n),
                           product.square.middleRows(n, n), product.square.middleRows(2 * n, n),
                           product.square.bottomRows(n)};
  add_sum_errors(errors, product.magnitude.middleRows(n, n), product.square.topRows(n),
                 *result.nominal);
  add_scale_errors(a.scale, from.value, w, *result.nominal);
  return result;
}

}  // namespace

Carried multiply_transposed(const Carried& a, const Matrix& w, const SumErrors& errors) {
  if (a.rigorous.mid.cols() != w.cols()) {
    throw ContractViolation("multiply_transposed: the k of a and of w differ");
  }
  if (multiplies_exactly(a.rigorous, w)) {
    return Carried::exact(ops::matmul_transposed(a.rigorous.mid, w), a.nominal.has_value());
  }
  if (!a.nominal) {
    Carried result;
    result.rigorous = multiply_transposed(a.rigorous, w, errors.gamma + errors.reference);
    return result;
  }
  if ((a.rigorous.radius.array() == 0).all()) return multiply_exact(a.rigorous.mid, w, errors);
  return multiply_doubtful(a, w, errors);
}

}  // namespace plumbline::bounds
