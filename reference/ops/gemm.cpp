#include "reference/ops/gemm.h"

#include <string>

#include "reference/spec/status.h"

namespace plumbline::ops {
namespace {

/// One factor a row: those given, the one for all, or 1.
Eigen::VectorXd per_row(std::span<const double> scale, Eigen::Index rows) {
  if (scale.empty()) return Eigen::VectorXd::Ones(rows);
  if (scale.size() == 1) return Eigen::VectorXd::Constant(rows, scale[0]);
  if (static_cast<Eigen::Index>(scale.size()) != rows) {
    throw ContractViolation("scaled_matmul_transposed: " + std::to_string(scale.size()) +
                            " scales for " + std::to_string(rows) + " rows");
  }
  return Eigen::Map<const Eigen::VectorXd>(scale.data(), rows);
}

}  // namespace

Matrix matmul_transposed(const Matrix& a, const Matrix& b) {
  if (a.cols() != b.cols()) {
    throw ContractViolation("matmul_transposed: k of a = " + std::to_string(a.cols()) +
                            ", k of b = " + std::to_string(b.cols()));
  }
  return a * b.transpose();
}

Matrix scaled_matmul_transposed(const Matrix& a, const Matrix& b, std::span<const double> scale_a,
                                std::span<const double> scale_b) {
  return per_row(scale_a, a.rows()).asDiagonal() * matmul_transposed(a, b) *
         per_row(scale_b, b.rows()).asDiagonal();
}

}  // namespace plumbline::ops
