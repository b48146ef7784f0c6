#pragma once
#include <optional>

#include "device/kernels/expert_gemm.h"
#include "device/kernels/experts.h"
#include "reference/spec/problems.h"
#include "reference/spec/status.h"
#include "reference/spec/tensor.h"

namespace plumbline::device {

/// Everything that decides how an expert layer is computed: the arguments of its launches, without
/// their pointers. Path `triton`: align, product 1, activation, (quantise,) product 2, reduce.
struct ExpertsPlan {
  ExpertsProblem problem;
  bool quantised = false;  ///< fp8_block128: x and the activation are quantised before a product
  GemmArgs gemm1;
  ActivationArgs activation;
  GemmArgs gemm2;
  ReduceArgs reduce;
  bool overwrite_x = false;  ///< the result also replaces x, as an engine's inplace option does
};

/// The plan of a problem that `refuse_experts` accepts.
ExpertsPlan plan_experts(const ExpertsProblem& problem);

/// Refuses what the path does not take: backend, quant, ownership, io type and the tensors.
std::optional<Refusal> refuse_experts(const ExpertsProblem& problem, const TensorViews& inputs);

/// Runs a plan. `out` bf16 [t, h], host memory. Throws DeviceError.
void run_experts(const ExpertsPlan& plan, const TensorViews& inputs, std::byte* out);

}  // namespace plumbline::device
