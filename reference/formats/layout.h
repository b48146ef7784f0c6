#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "reference/spec/status.h"
#include "reference/spec/tensor.h"

/// How codes and scales lie in memory: every tag of spec/tensor.h as data, and there and back.
namespace plumbline::formats {

/// Sizes of the last two dimensions of a tensor: a slice [rows, cols] (one dimension: one row).
struct Slice {
  std::int64_t rows = 1;
  std::int64_t cols = 1;

  std::int64_t elements() const { return rows * cols; }
  friend bool operator==(const Slice&, const Slice&) = default;
};

/// One layout. `padded` gives the sizes that a slice of elements of `bytes` bytes has in memory,
/// `offset` the place of element (row, col) in it, in elements. Layouts are per slice; slices lie
/// one after the other.
struct LayoutRule {
  Layout layout;
  std::size_t dimensions;      ///< how many a tensor has at least
  std::int64_t element_bytes;  ///< 0: any
  Slice (*padded)(const Slice& slice, std::int64_t bytes);
  std::int64_t (*offset)(const Slice& padded, std::int64_t row, std::int64_t col);
};

/// All layouts, in the order of the enumeration:
///   linear         row·cols + col
///   column_major   col·rows + row
///   tma_aligned    col·padded_rows + row, rows padded to a multiple of 16 bytes, as the strides of
///                  NVIDIA's tensor memory accelerator must be
///   swizzled_128x4 tiles of 128 rows × 4 columns, tile rows first; in a tile
///                  (row % 32)·16 + (row % 128)/32·4 + col % 4; padded to whole tiles. Elements of
///                  one byte. Source: the scale factors of block-scaled matrix instructions, as
///                  cuBLAS documents their 1D block scaling layout.
///   packed_int32   four elements of one byte in an i32, the first in its lowest byte, along the
///                  last dimension; padded to whole words
/// Padding is zero bytes in what to_layout makes; from_layout does not look at it.
std::span<const LayoutRule> all_layouts();
const LayoutRule& rule_of(Layout layout);

/// Type, shape in memory and tag of a linear tensor once it is laid out: the last two dimensions
/// are padded, packed_int32 has type i32 and a quarter of the columns. Refuses a tensor that is not
/// linear (layout), has too few dimensions or sizes that no memory holds (shape), or elements that
/// the layout does not take (dtype).
Result<TensorSpec> laid_out(const TensorSpec& linear, Layout layout);

/// The linear tensor in that layout. Throws BadInput where laid_out refuses, or where the bytes do
/// not fit the shape.
Tensor to_layout(const Tensor& linear, Layout layout);

/// Back to the linear tensor `linear`. Throws BadInput where `stored` is not laid_out(linear, its
/// own tag), or its bytes do not fit its shape.
Tensor from_layout(const Tensor& stored, const TensorSpec& linear);

/// Whether all sizes are ≥ 0 and their product is below 2^40, so that arithmetic on them is safe.
bool sizes_fit(std::span<const std::int64_t> shape);

/// Codes of four bits, one a byte, to two a byte along the last dimension: u8 [.., ⌈n/2⌉], the even
/// one in the low nibble, zero bits behind an odd end. Throws BadInput for codes of more than four
/// bits or a tensor that is not linear.
Tensor pack_nibbles(const Tensor& codes);
/// Back to codes of `linear`. Throws BadInput where the sizes do not belong together.
Tensor unpack_nibbles(const Tensor& packed, const TensorSpec& linear);

}  // namespace plumbline::formats
