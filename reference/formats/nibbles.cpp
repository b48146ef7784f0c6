#include <algorithm>
#include <string>

#include "reference/formats/layout.h"

namespace plumbline::formats {
namespace {

constexpr std::byte kLowNibble{0x0F};

/// The spec of the packed tensor. Throws BadInput where there is none.
TensorSpec packed_spec(const TensorSpec& codes) {
  const bool one_byte = bytes_of(codes.dtype, 1) == 1;
  if (!one_byte || codes.layout != Layout::kLinear || codes.shape.empty() ||
      !sizes_fit(codes.shape)) {
    throw BadInput("", codes.text(), "is not a linear tensor of one-byte codes");
  }
  TensorSpec packed{DType::kU8, codes.shape};
  packed.shape.back() = (packed.shape.back() + 1) / 2;
  return packed;
}

void require_spec(const Tensor& tensor, const TensorSpec& wanted) {
  const bool whole = static_cast<std::int64_t>(tensor.data.size()) == wanted.bytes();
  if (tensor.spec == wanted && whole) return;
  throw BadInput("", tensor.spec.text(), "is not " + wanted.text() + " with all its bytes");
}

/// The packed byte of an element and whether it is the high nibble.
struct Place {
  std::size_t byte;
  bool high;
};

Place place_of(const TensorSpec& codes, std::size_t element) {
  const auto width = static_cast<std::size_t>(codes.shape.back());
  const std::size_t col = element % width;
  return {element / width * ((width + 1) / 2) + col / 2, col % 2 == 1};
}

}  // namespace

Tensor pack_nibbles(const Tensor& codes) {
  Tensor packed = Tensor::zeros(packed_spec(codes.spec));
  require_spec(codes, codes.spec);
  for (std::size_t n = 0; n < codes.data.size(); ++n) {
    if ((codes.data[n] & ~kLowNibble) != std::byte{0}) {
      throw BadInput("", "code " + std::to_string(n), "has four bits");
    }
    const Place place = place_of(codes.spec, n);
    packed.data[place.byte] |= place.high ? codes.data[n] << 4 : codes.data[n];
  }
  return packed;
}

Tensor unpack_nibbles(const Tensor& packed, const TensorSpec& linear) {
  require_spec(packed, packed_spec(linear));
  Tensor codes = Tensor::zeros(linear);
  for (std::size_t n = 0; n < codes.data.size(); ++n) {
    const Place place = place_of(linear, n);
    const std::byte pair = packed.data[place.byte];
    codes.data[n] = place.high ? pair >> 4 : pair & kLowNibble;
  }
  return codes;
}

}  // namespace plumbline::formats
