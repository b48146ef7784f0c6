#pragma once
#include <optional>
#include <string>

#include "device/abi/implementation.h"
#include "reference/contract/method_model.h"
#include "reference/spec/tensor.h"

namespace plumbline::run {

/// What the tensors of a layer are compared with.
struct LayerReference {
  const Tensors& plain;           ///< as loaded
  std::optional<Tensors> packed;  ///< as the implementation packs for the expected backend;
                                  ///< nullopt: it has no packer there
  std::int64_t experts = 0;
};

/// The first thing about a method's state that is not as expected, in words; nullopt: all is well.
std::optional<std::string> wrong_state(const contract::MethodExpectation& expected,
                                       const MethodState& state, const LayerReference& reference);

/// The first tensor in which two layers differ: a name that only one has, a type, or bits.
std::optional<std::string> difference(const Tensors& expected, const Tensors& got);

/// The tensors that are no gemm1_… parameters.
Tensors weights_on(const Tensors& layer);

}  // namespace plumbline::run
