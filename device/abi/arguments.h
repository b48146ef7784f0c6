#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "reference/spec/status.h"
#include "reference/spec/tensor.h"

namespace plumbline::device {

/// A tensor that an operation takes or gives. −1 in the shape: any length.
struct Wanted {
  std::string_view name;
  DType dtype = DType::kF32;
  std::vector<std::int64_t> shape;
  bool optional = false;
};

/// Checks names, presence, dtype, shape and layout, in this order, each of all tensors: the first
/// breach with its class (unexpected, missing, dtype, shape, layout), or nullopt. The text names
/// tensor, value and what is allowed.
std::optional<Refusal> check_tensors(std::span<const Wanted> wanted, const TensorViews& given);

/// The elements of a host tensor; `name` must have been checked.
template <class T>
std::span<const T> elements_of(const TensorViews& views, std::string_view name) {
  const TensorView& view = views.find(name)->second;
  return {reinterpret_cast<const T*>(view.data), static_cast<std::size_t>(view.spec.elements())};
}

}  // namespace plumbline::device
