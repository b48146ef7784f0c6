#pragma once
#include <hip/hip_runtime.h>

#include <cstdint>

#include "device/kernels/number.h"

/// Routing: logits of a token to its experts and their weights.
namespace plumbline::device {

/// Most experts the kernel takes: three numbers an expert fit into shared memory.
inline constexpr std::int32_t kMaxRoutedExperts = 2048;

enum class ScoringKind : std::uint8_t { kNone, kSoftmax, kSigmoid, kSqrtSoftplus };

/// s = scoring(logits); c = s + bias; the `kept_groups` best of `groups` groups keep their c, the
/// others get `masked`; the k largest c are chosen (NaN last, among equals the lowest id); weights
/// = s of the chosen, softmax over them where asked, / (Σ + epsilon) where asked, · scale. All
/// fp32.
struct RouteArgs {
  const void* logits = nullptr;  ///< [tokens, experts] float or bf16
  const float* bias = nullptr;   ///< [experts] or null
  std::int32_t* ids = nullptr;   ///< [tokens, k]
  float* weights = nullptr;      ///< [tokens, k]
  std::int32_t tokens = 0;
  std::int32_t experts = 0;
  std::int32_t k = 0;
  std::int32_t groups = 1;
  std::int32_t kept_groups = 1;
  ScoringKind scoring = ScoringKind::kSoftmax;
  bool group_by_two = true;  ///< a group's score: sum of its two best c; else its best c
  bool bf16_logits = false;
  bool softmax_after = false;
  bool renormalise = false;
  float epsilon = 0.0F;
  float masked = 0.0F;  ///< c of the groups left out
  float scale = 1.0F;
  std::int32_t scale_power = 1;
  bool weight_with_bias = false;  ///< weights are c instead of s; false
};

/// `wave`: lanes of a wave of the current device, 32 or 64.
void launch_route(const RouteArgs& args, int wave, hipStream_t stream);

}  // namespace plumbline::device
