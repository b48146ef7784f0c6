#pragma once
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "conformance/inputs/distribution.h"
#include "reference/spec/problems.h"
#include "reference/spec/tensor.h"

/// The pieces that the operations' inputs are made of.
namespace plumbline::inputs {

/// Where a case's numbers come from.
struct Source {
  const Distribution* distribution = nullptr;
  std::uint64_t seed = 0;

  Stream stream(std::string_view tensor) const { return {seed, tensor}; }
  /// Whether weights stay whole, so that sums are exact.
  bool exact() const { return !distribution->scaled; }
};

/// How a tensor is filled: its side of the product, and a power of two on every value.
struct Fill {
  Side side = Side::kActivation;
  int exponent = 0;
};

/// Values of a tensor of `shape` from the source's distribution, before rounding to a type.
std::vector<double> values_of(const Source& source, std::string_view tensor,
                              const std::vector<std::int64_t>& shape, const Fill& fill);

/// The same, rounded once to `spec.dtype`; beyond its largest value they saturate.
Tensor filled(const Source& source, std::string_view tensor, const TensorSpec& spec,
              const Fill& fill = {});

/// A tensor of 32-bit integers.
Tensor integers(std::vector<std::int64_t> shape, const std::vector<std::int32_t>& values);

/// The power of two next to count^−½ from the integer's width: −⌊bits(count)/2⌋. 0 where the
/// distribution stays whole.
int weight_exponent(const Source& source, std::int64_t count);

/// 0 … count − 1 in an order drawn from `stream` (Fisher–Yates).
std::vector<std::int32_t> permutation(const Stream& stream, std::int64_t count);

Tensors route_inputs(const RouteProblem& problem, const Source& source);
Tensors experts_inputs(const ExpertsProblem& problem, const Source& source);
Tensors prefill_inputs(const AttentionProblem& problem, const Source& source);
Tensors decode_inputs(const AttentionProblem& problem, const Source& source);

}  // namespace plumbline::inputs
