#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "reference/spec/tensor.h"

/// Named tensors of a case and what must hold of them; every breach is a BadInput that names the
/// tensor, the rule and what was found.
namespace plumbline::ops {

/// The tensor of that name with that many dimensions. Throws BadInput where it is missing or not
/// so.
const Tensor& required(const Tensors& tensors, std::string_view name, std::size_t rank);

/// Throws BadInput "NAME: RULE, not bf16 [3, 4]" unless `holds`.
void require(bool holds, std::string_view name, std::string_view rule, const Tensor& tensor);

/// Throws BadInput unless the tensor has this very shape.
void require_shape(std::string_view name, const Tensor& tensor,
                   std::initializer_list<std::int64_t> shape);

/// The values of a required tensor of i32 or i64 of that rank, those beyond i32 saturated.
std::vector<std::int32_t> required_integers(const Tensors& tensors, std::string_view name,
                                            std::size_t rank);

/// "[3, 4]"
std::string shape_text(std::initializer_list<std::int64_t> shape);

}  // namespace plumbline::ops
