#pragma once
// What HIP adds to the language: function qualifiers, vector types and the coordinates of the
// running thread. Kernels include hip/hip_runtime.h, never this file.
// The names are HIP's own.
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier)
#include <cstdint>

/// Set where the kernels run on the CPU.
#define PLUMBLINE_TARGET_HOST 1

#if defined(__SANITIZE_ADDRESS__)
#define PLUMBLINE_HIPX_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PLUMBLINE_HIPX_ASAN 1
#endif
#endif
#if !defined(PLUMBLINE_HIPX_TSAN)
#if defined(__SANITIZE_THREAD__)
#define PLUMBLINE_HIPX_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PLUMBLINE_HIPX_TSAN 1
#endif
#endif
#endif

#define __global__
#define __device__
#define __host__
#define __constant__
#define __launch_bounds__(...)
#ifndef __forceinline__
#define __forceinline__ inline __attribute__((always_inline))
#endif
// __noinline__ stays undefined: libstdc++ spells attributes that way.

// A block never leaves its worker, so one copy a worker is one copy a block. Sanitizers see only
// plain static arrays; there, one worker runs everything.
#if defined(PLUMBLINE_HIPX_ASAN) || defined(PLUMBLINE_HIPX_TSAN)
#define __shared__ static
#else
#define __shared__ static thread_local
#endif

/// Extent of a grid or a block; omitted components are 1.
struct dim3 {
  std::uint32_t x, y, z;
  constexpr dim3(std::uint32_t a = 1, std::uint32_t b = 1, std::uint32_t c = 1)
      : x(a), y(b), z(c) {}
};
/// Coordinates of a block in its grid or of a thread in its block.
struct uint3 {
  std::uint32_t x, y, z;
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(8) uint2 {
  std::uint32_t x, y;
};
struct alignas(16) uint4 {
  std::uint32_t x, y, z, w;
};

// Kernels read these at every turn. In a shared library that is loaded late each read would be a
// call; these few bytes fit into what the loader keeps free for such variables.
#define PLUMBLINE_HIPX_NEAR __attribute__((tls_model("initial-exec")))
/// Coordinates of the running GPU thread; the runtime sets them at every switch.
PLUMBLINE_HIPX_NEAR constinit inline thread_local uint3 threadIdx{}, blockIdx{};
PLUMBLINE_HIPX_NEAR constinit inline thread_local dim3 blockDim{}, gridDim{};
/// Lanes a wave on the device that runs the kernel: 64 on device 0, 32 on device 1.
PLUMBLINE_HIPX_NEAR constinit inline thread_local int warpSize = 64;
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
