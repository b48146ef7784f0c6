// HIP's calls on devices and errors.
#include <cstdio>

#include "device/hip/host/host_thread.h"
#include "device/hip/host/worker.h"

namespace {

constexpr int kDevices = 2;

struct ErrorText {
  hipError_t error;
  const char* name;
  const char* text;
};
constexpr ErrorText kErrors[] = {
    {hipSuccess, "hipSuccess", "no error"},
    {hipErrorInvalidValue, "hipErrorInvalidValue", "invalid argument"},
    {hipErrorOutOfMemory, "hipErrorOutOfMemory", "out of memory"},
    {hipErrorInvalidConfiguration, "hipErrorInvalidConfiguration", "invalid launch configuration"},
    {hipErrorInvalidDevicePointer, "hipErrorInvalidDevicePointer", "not a device pointer"},
    {hipErrorInvalidMemcpyDirection, "hipErrorInvalidMemcpyDirection", "wrong copy direction"},
    {hipErrorNoDevice, "hipErrorNoDevice", "no device"},
    {hipErrorInvalidDevice, "hipErrorInvalidDevice", "no such device"},
    {hipErrorInvalidHandle, "hipErrorInvalidHandle", "invalid handle"},
    {hipErrorNotReady, "hipErrorNotReady", "work is still queued"},
    {hipErrorIllegalAddress, "hipErrorIllegalAddress", "illegal address"},
    {hipErrorLaunchTimeOut, "hipErrorLaunchTimeOut", "the kernel did not end in time"},
    {hipErrorLaunchFailure, "hipErrorLaunchFailure", "the kernel failed"},
    {hipErrorNotSupported, "hipErrorNotSupported", "not supported"},
    {hipErrorUnknown, "hipErrorUnknown", "unknown error"},
};
const ErrorText& text_of(hipError_t error) {
  for (const ErrorText& entry : kErrors)
    if (entry.error == error) return entry;
  return kErrors[std::size(kErrors) - 1];
}

}  // namespace

hipError_t hipGetDeviceCount(int* count) {
  if (!count) return hipx::fail(hipErrorInvalidValue);
  *count = kDevices;
  return hipSuccess;
}
hipError_t hipSetDevice(int device) {
  if (device < 0 || device >= kDevices) return hipx::fail(hipErrorInvalidDevice);
  hipx::host_thread().device = device;
  return hipSuccess;
}
hipError_t hipGetDevice(int* device) {
  if (!device) return hipx::fail(hipErrorInvalidValue);
  *device = hipx::host_thread().device;
  return hipSuccess;
}
hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device) {
  if (!properties) return hipx::fail(hipErrorInvalidValue);
  if (device < 0 || device >= kDevices) return hipx::fail(hipErrorInvalidDevice);
  constexpr int kThreads = static_cast<int>(hipx::kMaxThreads);
  *properties = {};
  properties->warpSize = device == 0 ? 64 : 32;
  std::snprintf(properties->name, sizeof properties->name, "CPU, host runtime");
  std::snprintf(properties->gcnArchName, sizeof properties->gcnArchName, "host-w%d",
                properties->warpSize);
  properties->totalGlobalMem = std::size_t{8} << 30;
  properties->sharedMemPerBlock = hipx::kMaxSharedBytes;
  properties->maxThreadsPerBlock = kThreads;
  for (int& extent : properties->maxThreadsDim) extent = kThreads;
  properties->maxGridSize[0] = 0x7fffffff;
  properties->maxGridSize[1] = properties->maxGridSize[2] = 65535;
  properties->multiProcessorCount = 1;
  return hipSuccess;
}
hipError_t hipDeviceSynchronize() {
  hipx::drain_all();
  return hipx::sticky_error();
}
hipError_t hipDeviceReset() {
  hipx::reset();
  return hipSuccess;
}

hipError_t hipGetLastError() {
  const hipError_t error = hipx::host_thread().last;
  hipx::host_thread().last = hipSuccess;
  return error;
}
hipError_t hipPeekAtLastError() { return hipx::host_thread().last; }
const char* hipGetErrorName(hipError_t error) { return text_of(error).name; }
const char* hipGetErrorString(hipError_t error) { return text_of(error).text; }
