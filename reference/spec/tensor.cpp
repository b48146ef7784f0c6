#include "reference/spec/tensor.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace plumbline {
namespace {

constexpr auto kLayouts = std::to_array<std::string_view>(
    {"linear", "column_major", "tma_aligned", "swizzled_128x4", "packed_int32"});

}  // namespace

std::string_view name_of(Layout layout) { return kLayouts[static_cast<std::size_t>(layout)]; }

std::int64_t TensorSpec::elements() const {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::string TensorSpec::text() const {
  std::string text = std::string(name_of(dtype)) + " [";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  }
  text += "]";
  if (layout != Layout::kLinear) text += " " + std::string(name_of(layout));
  return text;
}

Tensor Tensor::zeros(TensorSpec spec) {
  const auto size = static_cast<std::size_t>(spec.bytes());
  return {std::move(spec), std::vector<std::byte>(size)};
}

TensorViews views_of(const Tensors& tensors) {
  TensorViews views;
  for (const auto& [name, tensor] : tensors) {
    views[name] = {tensor.spec, const_cast<std::byte*>(tensor.data.data())};
  }
  return views;
}

Tensor copy_of(const TensorView& view) {
  Tensor tensor = Tensor::zeros(view.spec);
  std::copy_n(view.data, tensor.data.size(), tensor.data.data());
  return tensor;
}

}  // namespace plumbline
