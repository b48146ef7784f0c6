#pragma once
#include <hip/hip_runtime.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "reference/spec/tensor.h"

/// Device memory and streams that free themselves. Host code.
namespace plumbline::device {

/// A HIP call or a kernel failed: the call, HIP's word for it and, on the CPU device, kernel, block
/// and thread.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws DeviceError where `error` is not hipSuccess.
void require(hipError_t error, const char* call);

/// A stream of the calling thread.
class Stream {
 public:
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  hipStream_t get() const { return stream_; }
  /// Waits for everything queued. Throws DeviceError for whatever failed since the last call.
  void wait() const;

 private:
  hipStream_t stream_ = nullptr;
};

/// Device memory of its own. Zero bytes: a null pointer.
class Buffer {
 public:
  explicit Buffer(std::int64_t bytes);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  std::int64_t bytes() const { return bytes_; }
  /// Copies all of it from or to host memory.
  void upload(const void* from, const Stream& stream) const;
  void download(void* to, const Stream& stream) const;

 private:
  void* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

/// A device copy of the named input; empty where the input is not given.
class Input : public Buffer {
 public:
  Input(const TensorViews& inputs, const char* name, const Stream& stream);
};

}  // namespace plumbline::device
