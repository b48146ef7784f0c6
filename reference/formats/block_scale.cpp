#include "reference/formats/block_scale.h"

#include <string>

#include "reference/spec/status.h"

namespace plumbline::formats {

std::vector<double> dequantize(std::span<const double> elements, std::span<const double> scales,
                               const BlockShape& shape) {
  const auto count = static_cast<std::int64_t>(elements.size());
  const auto scale_count = static_cast<std::int64_t>(scales.size());
  if (count != shape.rows * shape.cols || scale_count != shape.scale_rows() * shape.scale_cols()) {
    throw ContractViolation("dequantize: " + std::to_string(count) + " elements and " +
                            std::to_string(scale_count) + " scales for [" +
                            std::to_string(shape.rows) + ", " + std::to_string(shape.cols) + "]");
  }
  std::vector<double> values(elements.size());
  for (std::int64_t r = 0; r < shape.rows; ++r) {
    const std::int64_t scale_row = r / shape.block_rows * shape.scale_cols();
    for (std::int64_t c = 0; c < shape.cols; ++c) {
      const auto at = static_cast<std::size_t>(r * shape.cols + c);
      values[at] =
          elements[at] * scales[static_cast<std::size_t>(scale_row + c / shape.block_cols)];
    }
  }
  return values;
}

}  // namespace plumbline::formats
