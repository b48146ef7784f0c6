#include "reference/ops/matrix.h"

#include <string>

#include "reference/formats/codec.h"
#include "reference/spec/status.h"

namespace plumbline::ops {

Matrix to_matrix(std::span<const double> values, std::int64_t rows, std::int64_t cols) {
  if (rows < 0 || cols < 0 || static_cast<std::int64_t>(values.size()) != rows * cols) {
    throw ContractViolation("to_matrix: " + std::to_string(values.size()) + " values for [" +
                            std::to_string(rows) + ", " + std::to_string(cols) + "]");
  }
  return Eigen::Map<const Matrix>(values.data(), rows, cols);
}

Matrix to_matrix(const Tensor& tensor, std::int64_t rows, std::int64_t cols) {
  return to_matrix(formats::decode(tensor), rows, cols);
}

}  // namespace plumbline::ops
