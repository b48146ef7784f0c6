#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "reference/formats/codec.h"
#include "reference/spec/status.h"

static_assert(std::endian::native == std::endian::little, "tensors lie in memory little-endian");

namespace plumbline::formats {
namespace {

void require_size(const char* what, std::int64_t got, std::int64_t expected,
                  const TensorSpec& spec) {
  if (got == expected) return;
  throw ContractViolation(std::string(what) + ": " + std::to_string(got) + " for " + spec.text() +
                          ", which has " + std::to_string(expected));
}

template <class Code, class Decode>
std::vector<double> decode_each(const Tensor& tensor, Decode decode_one) {
  std::vector<double> values(static_cast<std::size_t>(tensor.spec.elements()));
  for (std::size_t n = 0; n < values.size(); ++n) {
    Code code;
    std::memcpy(&code, tensor.data.data() + n * sizeof(Code), sizeof(Code));
    values[n] = decode_one(code);
  }
  return values;
}

template <class Code>
std::vector<double> decode_codes(const Tensor& tensor) {
  const DType dtype = tensor.spec.dtype;
  return decode_each<Code>(tensor, [&](Code code) { return decode(dtype, code); });
}

std::vector<double> decode_bytes(const Tensor& tensor) {
  std::array<double, 256> table{};
  for (std::size_t code = 0; code < table.size(); ++code) {
    table[code] = decode(tensor.spec.dtype, code);
  }
  return decode_each<std::uint8_t>(tensor, [&](std::uint8_t code) { return table[code]; });
}

double bf16_value(std::uint16_t code) {
  return static_cast<double>(std::bit_cast<float>(std::uint32_t{code} << 16));
}

std::uint32_t f32_code(double value, Overflow overflow) {
  // The language defines the conversion only inside float's range.
  if (std::fabs(value) <= std::numeric_limits<float>::max()) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
  return static_cast<std::uint32_t>(encode(DType::kF32, value, overflow));
}

template <class Code, class Encode>
void encode_each(std::span<const double> values, Tensor& tensor, Encode encode_one) {
  for (std::size_t n = 0; n < values.size(); ++n) {
    const auto code = static_cast<Code>(encode_one(values[n]));
    std::memcpy(tensor.data.data() + n * sizeof(Code), &code, sizeof(Code));
  }
}

}  // namespace

std::vector<double> decode(const Tensor& tensor) {
  require_size("bytes", static_cast<std::int64_t>(tensor.data.size()), tensor.spec.bytes(),
               tensor.spec);
  const DType dtype = tensor.spec.dtype;
  if (dtype == DType::kF64) return decode_each<double>(tensor, [](double v) { return v; });
  if (dtype == DType::kF32) return decode_each<float>(tensor, [](float v) { return double{v}; });
  if (dtype == DType::kBf16) return decode_each<std::uint16_t>(tensor, bf16_value);
  switch (format_of(dtype).bits) {
    case 64:
      return decode_codes<std::uint64_t>(tensor);
    case 32:
      return decode_codes<std::uint32_t>(tensor);
    case 16:
      return decode_codes<std::uint16_t>(tensor);
    default:
      return decode_bytes(tensor);
  }
}

Tensor encode(TensorSpec spec, std::span<const double> values, Overflow overflow) {
  require_size("values", static_cast<std::int64_t>(values.size()), spec.elements(), spec);
  Tensor tensor = Tensor::zeros(std::move(spec));
  const DType dtype = tensor.spec.dtype;
  const auto general = [&](double value) { return encode(dtype, value, overflow); };
  if (dtype == DType::kF32) {
    encode_each<std::uint32_t>(values, tensor, [&](double v) { return f32_code(v, overflow); });
    return tensor;
  }
  switch (format_of(dtype).bits) {
    case 64:
      encode_each<std::uint64_t>(values, tensor, general);
      break;
    case 32:
      encode_each<std::uint32_t>(values, tensor, general);
      break;
    case 16:
      encode_each<std::uint16_t>(values, tensor, general);
      break;
    default:
      encode_each<std::uint8_t>(values, tensor, general);
  }
  return tensor;
}

}  // namespace plumbline::formats
