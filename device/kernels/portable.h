#pragma once
// What the kernels use on top of HIP: everything that differs between the CPU, AMD and NVIDIA.
#include <hip/hip_runtime.h>

#include <cstdint>

// PLUMBLINE_SHARED(float, tile, [16][17]);  a shared array of the block. On the CPU it is full of
//   NaN at the start of every block; on GPUs it is a plain __shared__ array.
// PLUMBLINE_DYNAMIC_SHARED(float, scores);  a pointer to the launch's dynamic shared memory.
// PLUMBLINE_UNROLL  before a loop with a constant count.
// PLUMBLINE_LAUNCH_NO_SYNC  hipLaunchKernelGGL for a kernel without barriers and wave operations.
#if defined(PLUMBLINE_TARGET_HOST)
#define PLUMBLINE_UNROLL
#else
#define PLUMBLINE_SHARED(TYPE, NAME, ...) \
  __shared__ __attribute__((aligned(16))) TYPE NAME __VA_ARGS__
// One untyped symbol a translation unit: `extern __shared__ T x[]` of two types clashes.
#define PLUMBLINE_DYNAMIC_SHARED(TYPE, NAME)                                        \
  extern __shared__ __attribute__((aligned(16))) unsigned char plumbline_shared_[]; \
  TYPE* NAME = reinterpret_cast<TYPE*>(plumbline_shared_)
#define PLUMBLINE_UNROLL _Pragma("unroll")
#define PLUMBLINE_HIPX_INLINE inline
#define PLUMBLINE_LAUNCH_NO_SYNC(KERNEL, GRID, BLOCK, SHARED, STREAM, ...) \
  hipLaunchKernelGGL(KERNEL, GRID, BLOCK, SHARED, STREAM __VA_OPT__(, ) __VA_ARGS__)
#endif

namespace hx {

/// Set of lanes of a wave; 64 bits also where the wave has 32 lanes.
using lane_mask = unsigned long long;

/// Sum over the W lanes of a wave by shuffles: Σ in the butterfly order W/2, W/4, …, 1, the same
/// bits in every lane.
template <int W>
__device__ PLUMBLINE_HIPX_INLINE float warp_sum_by_shuffles(float value) {
  PLUMBLINE_UNROLL for (int m = W / 2; m; m /= 2) value += __shfl_xor(value, m, W);
  return value;
}
/// Largest of the W lanes' values by shuffles; NaN is not propagated reliably (as with `>`).
template <int W>
__device__ PLUMBLINE_HIPX_INLINE float warp_max_by_shuffles(float value) {
  PLUMBLINE_UNROLL for (int m = W / 2; m; m /= 2) {
    const float other = __shfl_xor(value, m, W);
    value = value > other ? value : other;
  }
  return value;
}

#if defined(PLUMBLINE_TARGET_HOST) && !defined(PLUMBLINE_HIPX_TSAN)
/// As warp_sum_by_shuffles, bit for bit, in one meeting: the last lane runs the butterfly for all.
/// Every lane of the wave must be alive and W must be the device's wave.
template <int W>
PLUMBLINE_HIPX_INLINE float warp_sum(float value, PLUMBLINE_HIPX_HERE) {
  return ::hipx::reduce({file, line}, ::hipx::kSum, value, [](std::uint64_t* slots, std::uint64_t) {
    float lanes[W];
    for (int i = 0; i < W; ++i) lanes[i] = ::hipx::from_bits<float>(slots[i]);
    for (int m = W / 2; m; m /= 2)
      for (int i = 0; i < m; ++i) lanes[i] += lanes[i + m];
    slots[0] = ::hipx::to_bits(lanes[0]);
  });
}
/// As warp_max_by_shuffles in one meeting.
template <int W>
PLUMBLINE_HIPX_INLINE float warp_max(float value, PLUMBLINE_HIPX_HERE) {
  return ::hipx::reduce({file, line}, ::hipx::kMax, value, [](std::uint64_t* slots, std::uint64_t) {
    float lanes[W];
    for (int i = 0; i < W; ++i) lanes[i] = ::hipx::from_bits<float>(slots[i]);
    for (int m = W / 2; m; m /= 2)
      for (int i = 0; i < m; ++i) lanes[i] = lanes[i] > lanes[i + m] ? lanes[i] : lanes[i + m];
    slots[0] = ::hipx::to_bits(lanes[0]);
  });
}
#else
template <int W>
__device__ PLUMBLINE_HIPX_INLINE float warp_sum(float value) {
  return warp_sum_by_shuffles<W>(value);
}
template <int W>
__device__ PLUMBLINE_HIPX_INLINE float warp_max(float value) {
  return warp_max_by_shuffles<W>(value);
}
#endif

/// Short vector of N floats that belongs to one thread: a SIMD register on the CPU, whatever the
/// optimiser thinks; a plain array on GPUs. N is a power of two.
#if defined(PLUMBLINE_TARGET_HOST)
template <int N>
struct vecf {  // NOLINT(readability-identifier-naming): reads as a built-in type
  using V __attribute__((vector_size(N * sizeof(float)))) = float;
  V v;
  static vecf splat(float a) { return {V{} + a}; }
  static vecf load(const float* p) {
    vecf r;
    __builtin_memcpy(&r.v, p, sizeof(V));
    return r;
  }
  void store(float* p) const { __builtin_memcpy(p, &v, sizeof(V)); }
  /// this += a · b
  void fma(float a, const vecf& b) { v += a * b.v; }
  void fma(const vecf& a, const vecf& b) { v += a.v * b.v; }
  void scale(float a) { v *= a; }
  /// Element i; through memory, for g++ 12 rejects v[i] on a dependent vector type.
  float at(int i) const {
    float t[N];
    store(t);
    return t[i];
  }
  /// Sum in the order N/2, N/4, …, 1: the upper half is added to the lower one, and so on.
  float sum() const {
    if constexpr (N == 1) {
      return at(0);
    } else {
      vecf<N / 2> halves[2];
      __builtin_memcpy(halves, &v, sizeof(V));
      return vecf<N / 2>{halves[0].v + halves[1].v}.sum();
    }
  }
};
#else
template <int N>
struct vecf {  // NOLINT(readability-identifier-naming): reads as a built-in type
  float v[N];
  static __device__ vecf splat(float a) {
    vecf r;
    PLUMBLINE_UNROLL for (int i = 0; i < N; ++i) r.v[i] = a;
    return r;
  }
  static __device__ vecf load(const float* p) {
    vecf r;
    PLUMBLINE_UNROLL for (int i = 0; i < N; ++i) r.v[i] = p[i];
    return r;
  }
  __device__ void store(float* p) const {
    PLUMBLINE_UNROLL for (int i = 0; i < N; ++i) p[i] = v[i];
  }
  __device__ void fma(float a, const vecf& b) {
    PLUMBLINE_UNROLL for (int i = 0; i < N; ++i) v[i] += a * b.v[i];
  }
  __device__ void fma(const vecf& a, const vecf& b) {
    PLUMBLINE_UNROLL for (int i = 0; i < N; ++i) v[i] += a.v[i] * b.v[i];
  }
  __device__ void scale(float a) { PLUMBLINE_UNROLL for (int i = 0; i < N; ++i) v[i] *= a; }
  __device__ float at(int i) const { return v[i]; }
  __device__ float sum() const {
    float t[N];
    PLUMBLINE_UNROLL for (int i = 0; i < N; ++i) t[i] = v[i];
    PLUMBLINE_UNROLL for (int w = N / 2; w; w /= 2) PLUMBLINE_UNROLL for (int j = 0; j < w; ++j)
        t[j] += t[j + w];
    return t[0];
  }
};
#endif

}  // namespace hx
