#pragma once
// Kernel launches: a kernel is an ordinary function that the runtime calls once for every thread.
// The names are HIP's own.
// NOLINTBEGIN(readability-identifier-naming,bugprone-macro-parentheses)
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "device/hip/host/include/hip/hip_runtime_api.h"
#include "device/hip/host/include/hipx/language.h"

namespace hipx {

/// Shape of a launch.
struct LaunchShape {
  const char* name;
  dim3 grid, block;
  std::size_t shared_bytes;  ///< dynamic shared memory
  hipStream_t stream;
  bool no_sync;  ///< the kernel promises no barrier and no wave operation: a plain loop
};

/// A launch with its arguments erased to bytes.
struct LaunchDesc {
  LaunchShape shape;
  const void* args;  ///< tuple of the kernel's parameters
  std::size_t args_size;
  const void* const* pointers;  ///< the parameters that are pointers
  unsigned pointer_count;
  void (*invoke)(const void* args);                     ///< the kernel, for one thread
  void (*run_no_sync)(const void* args, dim3 threads);  ///< the kernel, for all threads in turn
};

/// Checks and runs (or queues) a launch. hipErrorInvalidConfiguration, hipErrorInvalidDevicePointer
/// or, for a kernel that failed, the sticky error.
hipError_t launch(const LaunchDesc& desc);

/// Calls the kernel for every thread of a block, x fastest.
template <class Call, class Args>
void loop_threads(const void* args, dim3 threads) {
  std::apply(
      [&](const auto... arg) {
        for (std::uint32_t z = 0; z < threads.z; ++z)
          for (std::uint32_t y = 0; y < threads.y; ++y)
            for (std::uint32_t x = 0; x < threads.x; ++x) {
              threadIdx = {x, y, z};
              // A fault report reads threadIdx: the store may not be optimised away.
              asm volatile("" : : : "memory");
              Call{}(arg...);
            }
      },
      *static_cast<const Args*>(args));
}

/// The pointer among a kernel's arguments, as an address.
template <class T>
void collect_pointer(const T& value, const void** pointers, unsigned& count) {
  if constexpr (std::is_pointer_v<T>)
    pointers[count++] = const_cast<const void*>(static_cast<const volatile void*>(value));
}

/// Launches `Call` with arguments converted to the kernel's parameter types P.
template <class... P, class Call, class... A>
hipError_t launch_typed(const LaunchShape& shape, void (*)(P...), Call, A&&... values) {
  using Args = std::tuple<std::decay_t<P>...>;
  static_assert((std::is_trivially_copyable_v<std::decay_t<P>> && ...),
                "kernel arguments must be trivially copyable");
  const Args args(std::forward<A>(values)...);
  const void* pointers[sizeof...(P) + 1] = {};
  unsigned count = 0;
  std::apply([&](const auto&... arg) { (collect_pointer(arg, pointers, count), ...); }, args);
  return launch({shape, &args, sizeof(Args), pointers, count,
                 [](const void* p) {
                   std::apply([](const auto&... arg) { Call{}(arg...); },
                              *static_cast<const Args*>(p));
                 },
                 &loop_threads<Call, Args>});
}

}  // namespace hipx

#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define PLUMBLINE_HIPX_STRING(...) #__VA_ARGS__
// The stateless lambda makes the call direct (inlinable); the pointer gives the parameter types.
#define hipLaunchKernelGGL(KERNEL, GRID, BLOCK, SHARED, STREAM, ...)                \
  static_cast<void>(::hipx::launch_typed(                                           \
      {PLUMBLINE_HIPX_STRING(KERNEL), GRID, BLOCK, SHARED, STREAM, false}, &KERNEL, \
      [](auto... arg) { KERNEL(arg...); } __VA_OPT__(, ) __VA_ARGS__))
/// As hipLaunchKernelGGL for a kernel without barriers and wave operations; a plain launch on GPUs.
#define PLUMBLINE_LAUNCH_NO_SYNC(KERNEL, GRID, BLOCK, SHARED, STREAM, ...)         \
  static_cast<void>(::hipx::launch_typed(                                          \
      {PLUMBLINE_HIPX_STRING(KERNEL), GRID, BLOCK, SHARED, STREAM, true}, &KERNEL, \
      [](auto... arg) { KERNEL(arg...); } __VA_OPT__(, ) __VA_ARGS__))
// NOLINTEND(readability-identifier-naming,bugprone-macro-parentheses)
