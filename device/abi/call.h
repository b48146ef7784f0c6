#pragma once
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "device/abi/implementation.h"
#include "reference/spec/problems.h"

/// Test helpers: tensors from lists of numbers, calls, and results as numbers.
namespace plumbline::device::test {

inline std::uint16_t bf16_bits(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

inline float bf16_value(std::uint16_t bits) {
  const std::uint32_t wide = std::uint32_t{bits} << 16;
  float value = 0.0F;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

inline Tensor bf16_tensor(std::vector<std::int64_t> shape, const std::vector<float>& values) {
  Tensor tensor = Tensor::zeros({DType::kBf16, std::move(shape)});
  auto out = tensor.as<std::uint16_t>();
  for (std::size_t c = 0; c < out.size(); ++c) out[c] = bf16_bits(values[c % values.size()]);
  return tensor;
}

template <class T>
Tensor plain_tensor(DType dtype, std::vector<std::int64_t> shape, const std::vector<T>& values) {
  Tensor tensor = Tensor::zeros({dtype, std::move(shape)});
  auto out = tensor.as<T>();
  for (std::size_t c = 0; c < out.size(); ++c) out[c] = values[c % values.size()];
  return tensor;
}

inline Tensor f32_tensor(std::vector<std::int64_t> shape, const std::vector<float>& values) {
  return plain_tensor<float>(DType::kF32, std::move(shape), values);
}

inline Tensor i32_tensor(std::vector<std::int64_t> shape, const std::vector<std::int32_t>& values) {
  return plain_tensor<std::int32_t>(DType::kI32, std::move(shape), values);
}

/// Numbers in [-1, 1) with few bits, in no order that a mistake could hide behind.
inline std::vector<float> mixed(std::size_t count, std::uint32_t seed) {
  std::vector<float> values(count);
  std::uint32_t state = seed * 2654435761U + 1U;
  for (float& value : values) {
    state = state * 1664525U + 1013904223U;
    value = static_cast<float>(static_cast<std::int32_t>(state >> 24) - 128) / 128.0F;
  }
  return values;
}

using plumbline::views_of;

/// The answer of the correct kernels, or of a fault, with every output returned.
inline Answer call(const Problem& problem, Tensors& inputs, int wave = 64,
                   const std::string& fault = "") {
  return make_embedded({wave, fault})->run(problem, views_of(inputs), {});
}

inline std::vector<float> values_of(const Tensor& tensor) {
  std::vector<float> values;
  if (tensor.spec.dtype == DType::kF32) {
    const auto in = tensor.as<float>();
    return {in.begin(), in.end()};
  }
  for (const std::uint16_t bits : tensor.as<std::uint16_t>()) values.push_back(bf16_value(bits));
  return values;
}

}  // namespace plumbline::device::test
