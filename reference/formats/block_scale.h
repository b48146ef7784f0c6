#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace plumbline::formats {

/// A matrix [rows, cols] whose elements share scales by block; blocks at the edges are partial.
/// Per channel is a block of 1 × cols, per group of 128 one of 1 × 128.
struct BlockShape {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t block_rows = 128;
  std::int64_t block_cols = 128;

  std::int64_t scale_rows() const { return (rows + block_rows - 1) / block_rows; }
  std::int64_t scale_cols() const { return (cols + block_cols - 1) / block_cols; }
};

/// values[r, c] = elements[r, c] · scales[r / block_rows, c / block_cols]. Shapes: elements
/// [rows, cols], scales [scale_rows, scale_cols], row-major. The product of a narrow element and
/// an fp32 scale is exact in double. Throws ContractViolation where a size does not fit the shape.
std::vector<double> dequantize(std::span<const double> elements, std::span<const double> scales,
                               const BlockShape& shape);

}  // namespace plumbline::formats
