#include <cmath>
#include <cstddef>

#include "device/kernels/portable.h"
#include "device/kernels/route.h"

namespace plumbline::device {
namespace {

/// Shared memory of a token: one wave works on it.
struct Token {
  float* score;         ///< [experts]
  float* choice;        ///< [experts]
  float* group;         ///< [groups] scores of the groups
  std::int32_t* taken;  ///< [experts]
};

/// Whether a stands before b in the choice: larger first, NaN last.
__device__ inline bool before(float a, float b) {
  if (a != a) return false;
  return b != b || a > b;
}

__device__ inline float load_logit(const RouteArgs& a, std::size_t index) {
  return a.bf16_logits ? to_float(static_cast<const Bf16*>(a.logits)[index])
                       : static_cast<const float*>(a.logits)[index];
}

__device__ inline float score_alone(ScoringKind kind, float x) {
  if (kind == ScoringKind::kSigmoid) return 1.0F / (1.0F + expf(-x));
  // log(1 + eˣ) without overflow; NaN takes the second branch.
  if (kind == ScoringKind::kSqrtSoftplus)
    return sqrtf(x > 0.0F ? x + log1pf(expf(-x)) : log1pf(expf(x)));
  return x;
}

/// Softmax of the scores in place. The sum runs in the order of the experts, so that it does not
/// depend on the wave.
template <int kWave>
__device__ inline void softmax_scores(const RouteArgs& a, const Token& token) {
  float largest = -INFINITY;
  for (std::int32_t e = threadIdx.x; e < a.experts; e += kWave) {
    largest = token.score[e] > largest ? token.score[e] : largest;
  }
  largest = hx::warp_max<kWave>(largest);
  for (std::int32_t e = threadIdx.x; e < a.experts; e += kWave) {
    token.score[e] = expf(token.score[e] - largest);
  }
  __syncthreads();
  float sum = 0.0F;
  for (std::int32_t e = 0; e < a.experts; ++e) sum += token.score[e];
  __syncthreads();
  for (std::int32_t e = threadIdx.x; e < a.experts; e += kWave) token.score[e] /= sum;
}

template <int kWave>
__device__ inline void score_experts(const RouteArgs& a, const Token& token) {
  const std::size_t row = std::size_t(blockIdx.x) * a.experts;
  for (std::int32_t e = threadIdx.x; e < a.experts; e += kWave) {
    token.score[e] = score_alone(a.scoring, load_logit(a, row + e));
    token.taken[e] = 0;
  }
  __syncthreads();
  if (a.scoring == ScoringKind::kSoftmax) softmax_scores<kWave>(a, token);
  __syncthreads();
  for (std::int32_t e = threadIdx.x; e < a.experts; e += kWave) {
    token.choice[e] = token.score[e] + (a.bias ? a.bias[e] : 0.0F);
  }
  __syncthreads();
}

__device__ inline float score_group(const RouteArgs& a, const Token& token, std::int32_t group) {
  const std::int32_t size = a.experts / a.groups;
  const float* choice = token.choice + std::size_t(group) * size;
  if (size == 1) return choice[0];
  float best = before(choice[1], choice[0]) ? choice[1] : choice[0];
  float second = before(choice[1], choice[0]) ? choice[0] : choice[1];
  for (std::int32_t e = 2; e < size; ++e) {
    if (before(choice[e], best)) {
      second = best;
      best = choice[e];
    } else if (before(choice[e], second)) {
      second = choice[e];
    }
  }
  return a.group_by_two ? best + second : best;
}

/// A group stays if fewer than kept_groups groups stand before it.
__device__ inline bool group_stays(const RouteArgs& a, const Token& token, std::int32_t group) {
  std::int32_t ahead = 0;
  for (std::int32_t g = 0; g < a.groups; ++g) {
    const bool first = before(token.group[g], token.group[group]);
    const bool equal = !first && !before(token.group[group], token.group[g]);
    ahead += first || (equal && g < group) ? 1 : 0;
  }
  return ahead < a.kept_groups;
}

template <int kWave>
__device__ inline void mask_groups(const RouteArgs& a, const Token& token) {
  if (a.groups == 1) return;
  for (std::int32_t g = threadIdx.x; g < a.groups; g += kWave) {
    token.group[g] = score_group(a, token, g);
  }
  __syncthreads();
  const std::int32_t size = a.experts / a.groups;
  for (std::int32_t g = threadIdx.x; g < a.groups; g += kWave) {
    if (group_stays(a, token, g)) continue;
    for (std::int32_t e = 0; e < size; ++e) token.choice[g * size + e] = a.masked;
  }
  __syncthreads();
}

/// The best expert not taken yet. Ids below 2²⁴ are exact as floats; a NaN competes as −inf with an
/// id behind all others.
template <int kWave>
__device__ inline std::int32_t best_expert(const RouteArgs& a, const Token& token) {
  float best = -INFINITY;
  std::int32_t rank = 2 * a.experts;
  for (std::int32_t e = threadIdx.x; e < a.experts; e += kWave) {
    if (token.taken[e]) continue;
    const float c = token.choice[e];
    const float value = c == c ? c : -INFINITY;
    const std::int32_t order = c == c ? e : e + a.experts;
    if (value > best || (value == best && order < rank)) {
      best = value;
      rank = order;
    }
  }
  const float winner = hx::warp_max<kWave>(best);
  const float mine = best == winner ? -static_cast<float>(rank) : -INFINITY;
  const auto order = static_cast<std::int32_t>(-hx::warp_max<kWave>(mine));
  return order < a.experts ? order : order - a.experts;
}

/// Softmax and renormalisation over the k weights, by one lane.
__device__ inline void finish_weights(const RouteArgs& a, float* weights) {
  if (a.softmax_after) {
    float largest = weights[0];
    for (std::int32_t j = 1; j < a.k; ++j) largest = weights[j] > largest ? weights[j] : largest;
    float sum = 0.0F;
    for (std::int32_t j = 0; j < a.k; ++j) {
      weights[j] = expf(weights[j] - largest);
      sum += weights[j];
    }
    for (std::int32_t j = 0; j < a.k; ++j) weights[j] /= sum;
  }
  if (a.renormalise) {
    float sum = 0.0F;
    for (std::int32_t j = 0; j < a.k; ++j) sum += weights[j];
    // Scores that all underflow have weight 0, not 0 / 0.
    const float divisor = sum + a.epsilon == 0.0F ? 1.0F : sum + a.epsilon;
    for (std::int32_t j = 0; j < a.k; ++j) weights[j] /= divisor;
  }
  for (std::int32_t j = 0; j < a.k; ++j) {
    for (std::int32_t p = 0; p < a.scale_power; ++p) weights[j] *= a.scale;
  }
}

template <int kWave>
__global__ void __launch_bounds__(kWave) route_token(RouteArgs a) {
  PLUMBLINE_DYNAMIC_SHARED(float, shared);
  const Token token{shared, shared + a.experts, shared + 2 * a.experts,
                    reinterpret_cast<std::int32_t*>(shared + 2 * a.experts + a.groups)};
  score_experts<kWave>(a, token);
  mask_groups<kWave>(a, token);
  const std::size_t row = std::size_t(blockIdx.x) * a.k;
  for (std::int32_t j = 0; j < a.k; ++j) {
    const std::int32_t id = best_expert<kWave>(a, token);
    // Only the lane that looks at an expert marks it: wave operations do not order memory.
    if (static_cast<std::int32_t>(threadIdx.x) == id % kWave) token.taken[id] = 1;
    if (threadIdx.x == 0) {
      a.ids[row + j] = id;
      a.weights[row + j] = a.weight_with_bias ? token.choice[id] : token.score[id];
    }
  }
  if (threadIdx.x == 0) finish_weights(a, a.weights + row);
}

}  // namespace

void launch_route(const RouteArgs& args, int wave, hipStream_t stream) {
  if (args.tokens == 0) return;
  const std::size_t shared = sizeof(float) * (3 * std::size_t(args.experts) + args.groups);
  if (wave == 32) {
    hipLaunchKernelGGL(HIP_KERNEL_NAME(route_token<32>), dim3(args.tokens), dim3(32), shared,
                       stream, args);
  } else {
    hipLaunchKernelGGL(HIP_KERNEL_NAME(route_token<64>), dim3(args.tokens), dim3(64), shared,
                       stream, args);
  }
}

}  // namespace plumbline::device
