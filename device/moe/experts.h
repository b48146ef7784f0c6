#pragma once
#include <cstdint>

#include "device/kernels/expert_gemm.h"
#include "device/kernels/experts.h"
#include "reference/spec/problems.h"

namespace plumbline::device {

/// Everything that decides how an expert layer is computed: the arguments of its launches, without
/// their pointers. Path `triton`: align, product 1, activation, (quantise,) product 2, reduce.
struct ExpertsPlan {
  ExpertsProblem problem;
  /// Other than bf16: x and the activation are quantised before a product.
  GemmInput input = GemmInput::kBf16;
  int wave = 64;
  std::int32_t quantise_threads = 64;  ///< of a block that quantises a token: the wave
  GemmArgs gemm1;
  ActivationArgs activation;
  GemmArgs gemm2;
  ReduceArgs reduce;
  bool overwrite_x = false;  ///< the result also replaces x, as an engine's inplace option does
};

}  // namespace plumbline::device
