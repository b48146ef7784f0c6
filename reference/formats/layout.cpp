#include "reference/formats/layout.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace plumbline::formats {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 40;
constexpr std::int64_t kTmaBytes = 16;
constexpr std::int64_t kTileRows = 128;
constexpr std::int64_t kTileCols = 4;
constexpr std::int64_t kWordBytes = 4;

std::int64_t up_to(std::int64_t size, std::int64_t multiple) {
  return (size + multiple - 1) / multiple * multiple;
}

Slice as_it_is(const Slice& slice, std::int64_t) { return slice; }
Slice to_tma(const Slice& slice, std::int64_t bytes) {
  return {up_to(slice.rows, std::max<std::int64_t>(1, kTmaBytes / bytes)), slice.cols};
}
Slice to_tiles(const Slice& slice, std::int64_t) {
  return {up_to(slice.rows, kTileRows), up_to(slice.cols, kTileCols)};
}
Slice to_words(const Slice& slice, std::int64_t) {
  return {slice.rows, up_to(slice.cols, kWordBytes)};
}

std::int64_t by_rows(const Slice& slice, std::int64_t row, std::int64_t col) {
  return row * slice.cols + col;
}
std::int64_t by_columns(const Slice& slice, std::int64_t row, std::int64_t col) {
  return col * slice.rows + row;
}
std::int64_t in_tiles(const Slice& slice, std::int64_t row, std::int64_t col) {
  const std::int64_t tile = row / kTileRows * (slice.cols / kTileCols) + col / kTileCols;
  const std::int64_t in_tile = row % 32 * 16 + row % kTileRows / 32 * kTileCols + col % kTileCols;
  return tile * kTileRows * kTileCols + in_tile;
}

constexpr auto kRules = std::to_array<LayoutRule>({
    {Layout::kLinear, 0, 0, as_it_is, by_rows},
    {Layout::kColumnMajor, 2, 0, as_it_is, by_columns},
    {Layout::kTmaAligned, 2, 0, to_tma, by_columns},
    {Layout::kSwizzled128x4, 2, 1, to_tiles, in_tiles},
    {Layout::kPackedInt32, 1, 1, to_words, by_rows},
});

constexpr bool rows_follow_the_enumeration() {
  for (std::size_t n = 0; n < kRules.size(); ++n) {
    if (static_cast<std::size_t>(kRules[n].layout) != n) return false;
  }
  return true;
}
static_assert(rows_follow_the_enumeration());

Slice slice_of(const std::vector<std::int64_t>& shape) {
  const std::size_t n = shape.size();
  return {n < 2 ? 1 : shape[n - 2], n < 1 ? 1 : shape[n - 1]};
}

void require_bytes(const Tensor& tensor) {
  if (sizes_fit(tensor.spec.shape) &&
      static_cast<std::int64_t>(tensor.data.size()) == tensor.spec.bytes()) {
    return;
  }
  throw BadInput("", tensor.spec.text(), "has " + std::to_string(tensor.data.size()) + " bytes");
}

TensorSpec required_spec(const TensorSpec& linear, Layout layout) {
  Result<TensorSpec> spec = laid_out(linear, layout);
  if (!spec) throw BadInput("", linear.text(), spec.refusal().text());
  return std::move(spec).value();
}

/// Calls copy(bytes of the linear tensor, bytes of the stored one) for each element.
template <class Copy>
void for_each_element(const TensorSpec& linear, Layout layout, Copy copy) {
  const LayoutRule& rule = rule_of(layout);
  const std::int64_t bytes = bytes_of(linear.dtype, 1);
  const Slice slice = slice_of(linear.shape);
  const Slice padded = rule.padded(slice, bytes);
  for (std::int64_t n = 0; n < linear.elements(); ++n) {
    const std::int64_t row = n / slice.cols % slice.rows;
    const std::int64_t first = n / slice.elements() * padded.elements();
    const std::int64_t at = first + rule.offset(padded, row, n % slice.cols);
    copy(static_cast<std::size_t>(n * bytes), static_cast<std::size_t>(at * bytes));
  }
}

}  // namespace

std::span<const LayoutRule> all_layouts() { return kRules; }
const LayoutRule& rule_of(Layout layout) { return kRules[static_cast<std::size_t>(layout)]; }

bool sizes_fit(std::span<const std::int64_t> shape) {
  std::int64_t product = 1;
  for (const std::int64_t size : shape) {
    if (size < 0 || size >= kMostElements) return false;
    if (size > 0 && product > kMostElements / size) return false;
    product *= std::max<std::int64_t>(1, size);
  }
  return product < kMostElements;
}

Result<TensorSpec> laid_out(const TensorSpec& linear, Layout layout) {
  const LayoutRule& rule = rule_of(layout);
  const std::string name(name_of(layout));
  if (linear.layout != Layout::kLinear) {
    return Refusal{Status::kLayout, "what is laid out is linear", linear.text()};
  }
  const std::int64_t bytes = bytes_of(linear.dtype, 1);
  if (rule.element_bytes != 0 && bytes != rule.element_bytes) {
    return Refusal{Status::kDtype, name + " takes elements of one byte", linear.text()};
  }
  if (linear.shape.size() < rule.dimensions || !sizes_fit(linear.shape)) {
    return Refusal{Status::kShape,
                   name + " takes at least " + std::to_string(rule.dimensions) +
                       " dimensions, and 2^40 elements at most",
                   linear.text()};
  }
  TensorSpec stored = linear;
  stored.layout = layout;
  const Slice padded = rule.padded(slice_of(linear.shape), bytes);
  const std::size_t rank = stored.shape.size();
  if (rank > 1) stored.shape[rank - 2] = padded.rows;
  if (rank > 0) stored.shape[rank - 1] = padded.cols;
  if (layout != Layout::kPackedInt32) return stored;
  stored.dtype = DType::kI32;
  stored.shape[rank - 1] = padded.cols / kWordBytes;
  return stored;
}

Tensor to_layout(const Tensor& linear, Layout layout) {
  TensorSpec spec = required_spec(linear.spec, layout);
  require_bytes(linear);
  Tensor stored = Tensor::zeros(std::move(spec));
  const auto bytes = static_cast<std::size_t>(bytes_of(linear.spec.dtype, 1));
  for_each_element(linear.spec, layout, [&](std::size_t from, std::size_t to) {
    std::memcpy(&stored.data[to], &linear.data[from], bytes);
  });
  return stored;
}

Tensor from_layout(const Tensor& stored, const TensorSpec& linear) {
  const TensorSpec wanted = required_spec(linear, stored.spec.layout);
  if (wanted != stored.spec) throw BadInput("", stored.spec.text(), "is not " + wanted.text());
  require_bytes(stored);
  Tensor tensor = Tensor::zeros(linear);
  const auto bytes = static_cast<std::size_t>(bytes_of(linear.dtype, 1));
  for_each_element(linear, stored.spec.layout, [&](std::size_t to, std::size_t from) {
    std::memcpy(&tensor.data[to], &stored.data[from], bytes);
  });
  return tensor;
}

}  // namespace plumbline::formats
