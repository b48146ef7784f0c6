#include "reference/ops/required.h"

#include "reference/formats/codec.h"
#include "reference/spec/status.h"

namespace plumbline::ops {

std::string shape_text(std::initializer_list<std::int64_t> shape) {
  std::string text;
  for (const std::int64_t size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

void require(bool holds, std::string_view name, std::string_view rule, const Tensor& tensor) {
  if (!holds) throw BadInput("", name, std::string(rule) + ", not " + tensor.spec.text());
}

const Tensor& required(const Tensors& tensors, std::string_view name, std::size_t rank) {
  const auto it = tensors.find(name);
  if (it == tensors.end()) throw BadInput("", name, "this tensor is missing");
  require(it->second.spec.shape.size() == rank, name, "has " + std::to_string(rank) + " dimensions",
          it->second);
  return it->second;
}

void require_shape(std::string_view name, const Tensor& tensor,
                   std::initializer_list<std::int64_t> shape) {
  require(tensor.spec.shape == std::vector<std::int64_t>(shape), name, "is " + shape_text(shape),
          tensor);
}

std::vector<std::int32_t> required_integers(const Tensors& tensors, std::string_view name,
                                            std::size_t rank) {
  const Tensor& tensor = required(tensors, name, rank);
  require(tensor.spec.dtype == DType::kI32 || tensor.spec.dtype == DType::kI64, name,
          "is i32 or i64", tensor);
  std::vector<std::int32_t> integers;
  for (const double value : formats::decode(tensor)) {
    integers.push_back(static_cast<std::int32_t>(formats::round_to(DType::kI32, value)));
  }
  return integers;
}

}  // namespace plumbline::ops
