#pragma once
// The part of HIP that the kernels and their launchers use, mapped on CUDA 13. Compile with
// nvcc -x cu -std=c++20 -Idevice/hip/nvidia/include.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#define PLUMBLINE_TARGET_NVIDIA 1
#define __HIP_PLATFORM_NVIDIA__ 1

#if defined(__CUDACC__)
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define hipLaunchKernelGGL(KERNEL, GRID, BLOCK, SHARED, STREAM, ...) \
  (KERNEL)<<<(GRID), (BLOCK), (SHARED), (STREAM)>>>(__VA_ARGS__)
#endif

using hipError_t = cudaError_t;
using hipStream_t = cudaStream_t;
using hipEvent_t = cudaEvent_t;
using hipMemcpyKind = cudaMemcpyKind;

inline constexpr hipError_t hipSuccess = cudaSuccess;
inline constexpr hipError_t hipErrorInvalidValue = cudaErrorInvalidValue;
inline constexpr hipError_t hipErrorOutOfMemory = cudaErrorMemoryAllocation;
inline constexpr hipError_t hipErrorInvalidConfiguration = cudaErrorInvalidConfiguration;
inline constexpr hipError_t hipErrorInvalidDevicePointer = cudaErrorInvalidDevicePointer;
inline constexpr hipError_t hipErrorInvalidMemcpyDirection = cudaErrorInvalidMemcpyDirection;
inline constexpr hipError_t hipErrorNoDevice = cudaErrorNoDevice;
inline constexpr hipError_t hipErrorInvalidDevice = cudaErrorInvalidDevice;
inline constexpr hipError_t hipErrorNotReady = cudaErrorNotReady;
inline constexpr hipError_t hipErrorIllegalAddress = cudaErrorIllegalAddress;
inline constexpr hipError_t hipErrorLaunchFailure = cudaErrorLaunchFailure;
inline constexpr hipError_t hipErrorUnknown = cudaErrorUnknown;

inline constexpr hipMemcpyKind hipMemcpyHostToHost = cudaMemcpyHostToHost;
inline constexpr hipMemcpyKind hipMemcpyHostToDevice = cudaMemcpyHostToDevice;
inline constexpr hipMemcpyKind hipMemcpyDeviceToHost = cudaMemcpyDeviceToHost;
inline constexpr hipMemcpyKind hipMemcpyDeviceToDevice = cudaMemcpyDeviceToDevice;
inline constexpr hipMemcpyKind hipMemcpyDefault = cudaMemcpyDefault;

/// Own struct: CUDA 13 removed fields that HIP still has.
struct hipDeviceProp_t {
  char name[256];
  size_t totalGlobalMem;
  size_t sharedMemPerBlock;
  int warpSize;
  int maxThreadsPerBlock;
  int multiProcessorCount;
  int major;
  int minor;
};

inline hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device) {
  cudaDeviceProp found;
  const cudaError_t error = cudaGetDeviceProperties(&found, device);
  if (error != cudaSuccess) return error;
  *properties = {};
  for (int i = 0; i < 255 && found.name[i] != 0; ++i) properties->name[i] = found.name[i];
  properties->totalGlobalMem = found.totalGlobalMem;
  properties->sharedMemPerBlock = found.sharedMemPerBlock;
  properties->warpSize = found.warpSize;
  properties->maxThreadsPerBlock = found.maxThreadsPerBlock;
  properties->multiProcessorCount = found.multiProcessorCount;
  properties->major = found.major;
  properties->minor = found.minor;
  return error;
}

inline hipError_t hipGetDeviceCount(int* count) { return cudaGetDeviceCount(count); }
inline hipError_t hipSetDevice(int device) { return cudaSetDevice(device); }
inline hipError_t hipGetDevice(int* device) { return cudaGetDevice(device); }
template <class T>
inline hipError_t hipMalloc(T** pointer, size_t size) {
  return cudaMalloc(reinterpret_cast<void**>(pointer), size);
}
inline hipError_t hipFree(void* pointer) { return cudaFree(pointer); }
inline hipError_t hipMemcpy(void* to, const void* from, size_t size, hipMemcpyKind kind) {
  return cudaMemcpy(to, from, size, kind);
}
inline hipError_t hipMemcpyAsync(void* to, const void* from, size_t size, hipMemcpyKind kind,
                                 hipStream_t stream = nullptr) {
  return cudaMemcpyAsync(to, from, size, kind, stream);
}
inline hipError_t hipMemset(void* to, int value, size_t size) {
  return cudaMemset(to, value, size);
}
inline hipError_t hipMemsetAsync(void* to, int value, size_t size, hipStream_t stream = nullptr) {
  return cudaMemsetAsync(to, value, size, stream);
}
inline hipError_t hipStreamCreate(hipStream_t* stream) { return cudaStreamCreate(stream); }
inline hipError_t hipStreamDestroy(hipStream_t stream) { return cudaStreamDestroy(stream); }
inline hipError_t hipStreamSynchronize(hipStream_t stream) { return cudaStreamSynchronize(stream); }
inline hipError_t hipStreamQuery(hipStream_t stream) { return cudaStreamQuery(stream); }
inline hipError_t hipDeviceReset() { return cudaDeviceReset(); }
inline hipError_t hipDeviceSynchronize() { return cudaDeviceSynchronize(); }
inline hipError_t hipGetLastError() { return cudaGetLastError(); }
inline hipError_t hipPeekAtLastError() { return cudaPeekAtLastError(); }
inline const char* hipGetErrorString(hipError_t error) { return cudaGetErrorString(error); }
inline const char* hipGetErrorName(hipError_t error) { return cudaGetErrorName(error); }

#if defined(__CUDACC__)
// HIP's warp operations take no mask; kernels call them converged, which the host runtime checks.
template <class T>
static __device__ __forceinline__ T __shfl(T value, int lane, int width = 32) {
  return __shfl_sync(0xffffffffu, value, lane, width);
}
template <class T>
static __device__ __forceinline__ T __shfl_xor(T value, int mask, int width = 32) {
  return __shfl_xor_sync(0xffffffffu, value, mask, width);
}
template <class T>
static __device__ __forceinline__ T __shfl_down(T value, unsigned delta, int width = 32) {
  return __shfl_down_sync(0xffffffffu, value, delta, width);
}
template <class T>
static __device__ __forceinline__ T __shfl_up(T value, unsigned delta, int width = 32) {
  return __shfl_up_sync(0xffffffffu, value, delta, width);
}
static __device__ __forceinline__ unsigned long long plumbline_ballot(int predicate) {
  return __ballot_sync(0xffffffffu, predicate);
}
static __device__ __forceinline__ int plumbline_any(int predicate) {
  return __any_sync(0xffffffffu, predicate);
}
static __device__ __forceinline__ int plumbline_all(int predicate) {
  return __all_sync(0xffffffffu, predicate);
}
// Macros, not overloads: CUDA 13 still declares functions of these names.
#define __ballot(P) plumbline_ballot(P)
#define __any(P) plumbline_any(P)
#define __all(P) plumbline_all(P)
#endif
