#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <span>

#include "reference/spec/tensor.h"

namespace plumbline {

/// Row-major matrix of doubles, as tensors lie in memory.
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

namespace ops {

/// The values of `tensor`, decoded, as [rows, cols]. Throws ContractViolation unless it has
/// rows · cols elements.
Matrix to_matrix(const Tensor& tensor, std::int64_t rows, std::int64_t cols);
/// The same from values that are decoded already.
Matrix to_matrix(std::span<const double> values, std::int64_t rows, std::int64_t cols);

}  // namespace ops
}  // namespace plumbline
