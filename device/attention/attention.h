#pragma once
#include <optional>

#include "device/abi/arguments.h"
#include "device/kernels/attention.h"
#include "reference/spec/problems.h"
#include "reference/spec/status.h"
#include "reference/spec/tensor.h"

namespace plumbline::device {

/// Everything that decides how an attention call is computed: the arguments of its launch, without
/// their pointers.
struct AttentionPlan {
  AttentionProblem problem;
  AttentionIo io = AttentionIo::kBf16;
  AttentionArgs args;
  int wave = 64;
  bool use_sinks = false;
  /// out=copied: the kernel writes a tensor of its own, which is copied to the caller's out.
  bool through_copy = false;
  bool copies_back = true;  ///< whether that copy is made
};

/// Where the results go in host memory: out [tq, hq, d]; lse [hq, tq] or null.
struct AttentionTarget {
  std::byte* out = nullptr;
  std::byte* lse = nullptr;
};

/// Refuses what the path does not take: head sizes, tensors, and lengths, offsets or pages that do
/// not fit them.
std::optional<Refusal> refuse_attention(const AttentionProblem& problem, const TensorViews& inputs);

/// The plan of a problem and inputs that `refuse_attention` accepts.
AttentionPlan plan_attention(const AttentionProblem& problem, const TensorViews& inputs, int wave);

/// Runs a plan. Throws DeviceError.
void run_attention(const AttentionPlan& plan, const TensorViews& inputs,
                   const AttentionTarget& target);

}  // namespace plumbline::device
