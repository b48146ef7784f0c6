#include "conformance/inputs/fill.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "reference/formats/codec.h"

namespace plumbline::inputs {

std::vector<double> values_of(const Source& source, std::string_view tensor,
                              const std::vector<std::int64_t>& shape, const Fill& fill) {
  const Stream stream = source.stream(tensor);
  const std::int64_t width = shape.empty() ? 1 : shape.back();
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(TensorSpec{.shape = shape}.elements()));
  const std::int64_t rows = width == 0 ? 0 : TensorSpec{.shape = shape}.elements() / width;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < width; ++column) {
      Dyadic number = source.distribution->element(stream, {row, column, width, fill.side});
      number.exponent += fill.exponent;
      values.push_back(number.value());
    }
  }
  return values;
}

Tensor filled(const Source& source, std::string_view tensor, const TensorSpec& spec,
              const Fill& fill) {
  return formats::encode(spec, values_of(source, tensor, spec.shape, fill),
                         formats::Overflow::kSaturate);
}

Tensor integers(std::vector<std::int64_t> shape, const std::vector<std::int32_t>& values) {
  Tensor tensor = Tensor::zeros({DType::kI32, std::move(shape)});
  std::copy(values.begin(), values.end(), tensor.as<std::int32_t>().begin());
  return tensor;
}

int weight_exponent(const Source& source, std::int64_t count) {
  if (source.exact()) return 0;
  return -static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count))) / 2;
}

std::vector<std::int32_t> permutation(const Stream& stream, std::int64_t count) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t n = order.size(); n > 1; --n) {
    std::swap(order[n - 1], order[stream.below(n, n)]);
  }
  return order;
}

}  // namespace plumbline::inputs
