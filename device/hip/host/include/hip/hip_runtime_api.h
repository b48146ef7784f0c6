#pragma once
// The host-callable part of HIP that this project uses, for the CPU device. Meaning, argument order
// and error values are those of AMD's HIP API reference; comments state only what is particular.
// NOLINTBEGIN(readability-identifier-naming)
#include <cstddef>

enum [[nodiscard]] hipError_t : int{hipSuccess = 0,
                                    hipErrorInvalidValue = 1,
                                    hipErrorOutOfMemory = 2,
                                    hipErrorInvalidConfiguration = 9,
                                    hipErrorInvalidDevicePointer = 17,
                                    hipErrorInvalidMemcpyDirection = 21,
                                    hipErrorNoDevice = 100,
                                    hipErrorInvalidDevice = 101,
                                    hipErrorInvalidHandle = 400,
                                    hipErrorNotReady = 600,
                                    hipErrorIllegalAddress = 700,
                                    hipErrorLaunchTimeOut = 702,
                                    hipErrorLaunchFailure = 719,
                                    hipErrorNotSupported = 801,
                                    hipErrorUnknown = 999};
enum hipMemcpyKind {
  hipMemcpyHostToHost,
  hipMemcpyHostToDevice,
  hipMemcpyDeviceToHost,
  hipMemcpyDeviceToDevice,
  hipMemcpyDefault
};
struct hipxStream;
struct hipxEvent;
using hipStream_t = hipxStream*;
using hipEvent_t = hipxEvent*;
struct hipDeviceProp_t {
  char name[256];
  std::size_t totalGlobalMem;
  std::size_t sharedMemPerBlock;
  int warpSize;
  int maxThreadsPerBlock;
  int maxThreadsDim[3];
  int maxGridSize[3];
  int multiProcessorCount;
  char gcnArchName[256];
  int major, minor;
};

/// Two devices: 0 has waves of 64 lanes, 1 of 32.
hipError_t hipGetDeviceCount(int* count);
/// Per host thread, as in HIP.
hipError_t hipSetDevice(int device);
hipError_t hipGetDevice(int* device);
hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device);
/// Runs what is queued on all streams of this host thread; returns the sticky error.
hipError_t hipDeviceSynchronize();
/// Forgets the sticky error, the last report and queued work of this host thread. Memory stays
/// valid until hipFree.
hipError_t hipDeviceReset();

/// Fresh memory is filled with 0xFF bytes (NaN in every floating format) and lies against an
/// unmapped page (hipx::Settings::guard), aligned to 16 bytes.
hipError_t hipMalloc(void** pointer, std::size_t bytes);
template <class T>
hipError_t hipMalloc(T** pointer, std::size_t bytes) {
  return hipMalloc(reinterpret_cast<void**>(pointer), bytes);
}
/// hipErrorIllegalAddress if something was written beside the allocation.
hipError_t hipFree(void* pointer);
hipError_t hipMemcpy(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind);
hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind,
                          hipStream_t stream = nullptr);
hipError_t hipMemset(void* to, int value, std::size_t bytes);
hipError_t hipMemsetAsync(void* to, int value, std::size_t bytes, hipStream_t stream = nullptr);

/// A stream belongs to the host thread that made it.
hipError_t hipStreamCreate(hipStream_t* stream);
hipError_t hipStreamDestroy(hipStream_t stream);
hipError_t hipStreamSynchronize(hipStream_t stream);
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags = 0);
hipError_t hipStreamQuery(hipStream_t stream);
hipError_t hipEventCreate(hipEvent_t* event);
hipError_t hipEventDestroy(hipEvent_t event);
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream = nullptr);
hipError_t hipEventSynchronize(hipEvent_t event);
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop);

/// Last error of this host thread; Get also clears it. A sticky error comes back at the next call.
hipError_t hipGetLastError();
hipError_t hipPeekAtLastError();
const char* hipGetErrorString(hipError_t error);
const char* hipGetErrorName(hipError_t error);
// NOLINTEND(readability-identifier-naming)
