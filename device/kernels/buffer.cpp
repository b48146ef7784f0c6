#include "device/kernels/buffer.h"

#include <string>

#if defined(PLUMBLINE_TARGET_HOST)
#include "device/hip/host/runtime.h"
#endif

namespace plumbline::device {
namespace {

/// Kernel, block and thread of the failure, where the device tells.
std::string place_of_failure() {
#if defined(PLUMBLINE_TARGET_HOST)
  const std::string& report = hipx::last_report();
  return report.empty() ? "" : ": " + report;
#else
  return "";
#endif
}

std::int64_t given_bytes(const TensorViews& inputs, const char* name) {
  const auto it = inputs.find(name);
  return it == inputs.end() ? 0 : it->second.spec.bytes();
}

}  // namespace

void require(hipError_t error, const char* call) {
  if (error == hipSuccess) return;
  throw DeviceError(std::string(call) + ": " + hipGetErrorName(error) + place_of_failure());
}

Stream::Stream() { require(hipStreamCreate(&stream_), "hipStreamCreate"); }

Stream::~Stream() { static_cast<void>(hipStreamDestroy(stream_)); }

void Stream::wait() const {
  require(hipGetLastError(), "kernel launch");
  require(hipStreamSynchronize(stream_), "hipStreamSynchronize");
  require(hipGetLastError(), "kernel");
}

Buffer::Buffer(std::int64_t bytes) : bytes_(bytes) {
  if (bytes_ > 0) require(hipMalloc(&data_, static_cast<std::size_t>(bytes_)), "hipMalloc");
}

Buffer::~Buffer() { static_cast<void>(hipFree(data_)); }

void Buffer::upload(const void* from, const Stream& stream) const {
  if (bytes_ == 0) return;
  require(hipMemcpyAsync(data_, from, static_cast<std::size_t>(bytes_), hipMemcpyHostToDevice,
                         stream.get()),
          "hipMemcpyAsync to the device");
}

void Buffer::download(void* to, const Stream& stream) const {
  if (bytes_ == 0) return;
  require(hipMemcpyAsync(to, data_, static_cast<std::size_t>(bytes_), hipMemcpyDeviceToHost,
                         stream.get()),
          "hipMemcpyAsync to the host");
}

Input::Input(const TensorViews& inputs, const char* name, const Stream& stream)
    : Buffer(given_bytes(inputs, name)) {
  if (bytes() > 0) upload(inputs.find(name)->second.data, stream);
}

}  // namespace plumbline::device
