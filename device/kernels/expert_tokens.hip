#include <cmath>

#include "device/kernels/experts.h"
#include "device/kernels/portable.h"

namespace plumbline::device {
namespace {

/// Neighbouring elements of a row that one lane works on.
constexpr int kRun = 4;

template <class T>
struct Codes;

template <>
struct Codes<E4m3> {
  static constexpr float kLargest = 448.0F;
  static __device__ inline E4m3 round(float value) { return from_float<E4m3>(value); }
};

template <>
struct Codes<I8> {
  static constexpr float kLargest = 127.0F;
  /// NaN becomes 0; its row's scale says that it was there.
  static __device__ inline I8 round(float value) {
    const float nearest = rintf(value);
    const float above = nearest > -kLargest ? nearest : -kLargest;
    const float clamped = above < kLargest ? above : kLargest;
    return I8{static_cast<std::int8_t>(value == value ? clamped : 0.0F)};
  }
};

/// One row of the input, weighted.
struct Row {
  const Bf16* in;
  float weight;
  bool weighted;

  __device__ inline float at(std::int32_t c) const {
    const float x = to_float(in[c]);
    return weighted ? to_float(from_float<Bf16>(x * weight)) : x;
  }
};

__device__ inline Row row_of(const TokenQuantiseArgs& a, std::int32_t row) {
  const std::int32_t source = a.source ? a.source[row] : row;
  const float weight = a.weight ? a.weight[source] : 1.0F;
  return {a.in + std::size_t(source / a.divisor) * a.columns, weight, a.weight != nullptr};
}

/// Largest magnitude of this lane's elements; NaN counts as infinity.
__device__ inline float largest_of(const TokenQuantiseArgs& a, const Row& row) {
  float largest = 1e-10F;
  for (std::int32_t c0 = threadIdx.x * kRun; c0 < a.columns; c0 += a.threads * kRun) {
    const std::int32_t end = c0 + kRun < a.columns ? c0 + kRun : a.columns;
    for (std::int32_t c = c0; c < end; ++c) {
      const float x = row.at(c);
      const float absolute = x == x ? (x < 0.0F ? -x : x) : INFINITY;
      largest = absolute > largest ? absolute : largest;
    }
  }
  return largest;
}

/// One wave a row.
template <class T, int kWave>
__global__ void __launch_bounds__(64) quantise_tokens(TokenQuantiseArgs a) {
  const std::int32_t r = blockIdx.x;
  if (a.count && r >= *a.count) return;
  const Row row = row_of(a, r);
  const float scale = hx::warp_max<kWave>(largest_of(a, row)) / Codes<T>::kLargest;
  if (threadIdx.x == 0) a.scale[r] = scale;
  T* out = static_cast<T*>(a.out) + std::size_t(r) * a.columns;
  for (std::int32_t c0 = threadIdx.x * kRun; c0 < a.columns; c0 += a.threads * kRun) {
    const std::int32_t end = c0 + kRun < a.columns ? c0 + kRun : a.columns;
    for (std::int32_t c = c0; c < end; ++c) out[c] = Codes<T>::round(row.at(c) / scale);
  }
}

template <class T>
void launch_typed(const TokenQuantiseArgs& args, int wave, hipStream_t stream) {
  if (wave == 32) {
    hipLaunchKernelGGL(HIP_KERNEL_NAME(quantise_tokens<T, 32>), dim3(args.rows), dim3(args.threads),
                       0, stream, args);
  } else {
    hipLaunchKernelGGL(HIP_KERNEL_NAME(quantise_tokens<T, 64>), dim3(args.rows), dim3(args.threads),
                       0, stream, args);
  }
}

}  // namespace

void launch_quantise_tokens(TokenCode code, const TokenQuantiseArgs& args, int wave,
                            hipStream_t stream) {
  if (args.rows == 0) return;
  if (code == TokenCode::kI8) return launch_typed<I8>(args, wave, stream);
  launch_typed<E4m3>(args, wave, stream);
}

}  // namespace plumbline::device
