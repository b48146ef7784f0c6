#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "reference/spec/format.h"

namespace plumbline {

/// How the elements of a tensor (most often of a scale) lie in memory.
enum class Layout : std::uint8_t {
  kLinear,         ///< row-major, contiguous
  kColumnMajor,    ///< the last two dimensions exchanged in memory
  kTmaAligned,     ///< column-major, rows padded to a multiple of 16 bytes
  kSwizzled128x4,  ///< tiles of 128 rows by 4 scales, as block-scaled tensor cores read them
  kPackedInt32,    ///< four one-byte codes a 32-bit word, along the last dimension
};

std::string_view name_of(Layout layout);

/// Type, shape and layout of a tensor, without its data.
struct TensorSpec {
  DType dtype = DType::kF32;
  std::vector<std::int64_t> shape;
  Layout layout = Layout::kLinear;
  std::int64_t block = 0;  ///< scales only: elements that share one scale along the last axis

  std::int64_t elements() const;
  std::int64_t bytes() const { return bytes_of(dtype, elements()); }
  /// "bf16 [13, 64]"
  std::string text() const;
  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
};

/// A tensor that owns its bytes.
struct Tensor {
  TensorSpec spec;
  std::vector<std::byte> data;

  static Tensor zeros(TensorSpec spec);
  template <class T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(data.data()), data.size() / sizeof(T)};
  }
  template <class T>
  std::span<T> as() {
    return {reinterpret_cast<T*>(data.data()), data.size() / sizeof(T)};
  }
  friend bool operator==(const Tensor&, const Tensor&) = default;
};

/// Tensors by name, as in a case file: "x", "w13", "topk_ids", "expected.out".
using Tensors = std::map<std::string, Tensor, std::less<>>;

/// Memory that somebody else owns.
struct TensorView {
  TensorSpec spec;
  std::byte* data = nullptr;
};
using TensorViews = std::map<std::string, TensorView, std::less<>>;

/// The tensors by name, where they are. They are not const: who may write is for the call to say.
TensorViews views_of(const Tensors& tensors);
/// A tensor of its own with the bytes of a view.
Tensor copy_of(const TensorView& view);

}  // namespace plumbline
