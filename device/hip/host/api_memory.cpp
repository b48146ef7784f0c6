// HIP's calls on memory.
#include <cstdio>
#include <cstring>

#include "device/hip/host/host_thread.h"
#include "device/hip/host/memory.h"

namespace {

constexpr std::size_t kLargestBuffer = std::size_t{64} << 30;

bool direction_matches(const void* to, const void* from, hipMemcpyKind kind) {
  const bool to_device = hipx::memory::contains(to);
  const bool from_device = hipx::memory::contains(from);
  switch (kind) {
    case hipMemcpyHostToHost:
      return !to_device && !from_device;
    case hipMemcpyHostToDevice:
      return to_device && !from_device;
    case hipMemcpyDeviceToHost:
      return !to_device && from_device;
    case hipMemcpyDeviceToDevice:
      return to_device && from_device;
    case hipMemcpyDefault:
      return true;
  }
  return false;
}

// A device pointer whose buffer ends before the copy does.
bool too_long(const void* pointer, std::size_t bytes) {
  return hipx::memory::contains(pointer) && !hipx::memory::contains(pointer, bytes);
}

hipError_t refuse_range(const char* call, std::size_t bytes) {
  return hipx::refuse(hipErrorInvalidValue, std::string(call) + " of " + std::to_string(bytes) +
                                                " bytes reaches outside its buffer");
}

}  // namespace

hipError_t hipMalloc(void** pointer, std::size_t bytes) {
  if (!pointer) return hipx::fail(hipErrorInvalidValue);
  *pointer = nullptr;
  if (bytes == 0) return hipSuccess;
  if (bytes > kLargestBuffer) return hipx::fail(hipErrorOutOfMemory);
  const hipx::HostThread& host = hipx::host_thread();
  *pointer = hipx::memory::allocate({bytes, host.settings.guard, host.settings.poison, &host});
  return *pointer ? hipSuccess : hipx::fail(hipErrorOutOfMemory);
}

hipError_t hipFree(void* pointer) {
  if (!pointer) return hipSuccess;
  hipx::drain_all();
  std::string damage;
  switch (hipx::memory::release(pointer, damage)) {
    case hipx::memory::Freed::kOk:
      return hipSuccess;
    case hipx::memory::Freed::kUnknown:
      return hipx::fail(hipErrorInvalidValue);
    case hipx::memory::Freed::kDamaged:
      break;
  }
  damage += "; the last kernel was " + hipx::host_thread().last_kernel;
  return hipx::fail_for_good(hipErrorIllegalAddress, damage);
}

hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind,
                          hipStream_t stream) {
  if (const hipError_t error = hipx::sticky_error(); error != hipSuccess) return error;
  if (bytes == 0) return hipSuccess;
  if (!to || !from) return hipx::fail(hipErrorInvalidValue);
  if (!direction_matches(to, from, kind)) return hipx::fail(hipErrorInvalidMemcpyDirection);
  if (too_long(to, bytes) || too_long(from, bytes)) return refuse_range("hipMemcpy", bytes);
  hipx::submit(stream, [=] {
    const hipx::memory::Open open;
    std::memcpy(to, from, bytes);
  });
  return hipSuccess;
}

hipError_t hipMemcpy(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind) {
  hipx::drain_all();
  const hipError_t error = hipMemcpyAsync(to, from, bytes, kind, nullptr);
  hipx::drain_all();
  return error;
}

hipError_t hipMemsetAsync(void* to, int value, std::size_t bytes, hipStream_t stream) {
  if (const hipError_t error = hipx::sticky_error(); error != hipSuccess) return error;
  if (bytes == 0) return hipSuccess;
  if (!hipx::memory::contains(to)) return hipx::fail(hipErrorInvalidValue);
  if (too_long(to, bytes)) return refuse_range("hipMemset", bytes);
  hipx::submit(stream, [=] {
    const hipx::memory::Open open;
    std::memset(to, value, bytes);
  });
  return hipSuccess;
}

hipError_t hipMemset(void* to, int value, std::size_t bytes) {
  hipx::drain_all();
  const hipError_t error = hipMemsetAsync(to, value, bytes, nullptr);
  hipx::drain_all();
  return error;
}
