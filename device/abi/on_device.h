#pragma once
#include <hip/hip_runtime.h>

#include "device/abi/implementation.h"
#include "device/kernels/buffer.h"

namespace plumbline::device {

/// What `call` answers on the device of that number, or that the device failed.
template <class Call>
Answer on_device(int index, const Call& call) {
  try {
    require(hipSetDevice(index), "hipSetDevice");
    Answer answer = call();
    // Bytes written beside a buffer are found when it is freed; they belong to this call.
    require(hipDeviceSynchronize(), "hipFree");
    return answer;
  } catch (const DeviceError& error) {
    // The error sticks to the thread; the next call starts afresh.
    static_cast<void>(hipDeviceReset());
    Answer answer;
    answer.status = Status::kDevice;
    answer.message = error.what();
    return answer;
  }
}

}  // namespace plumbline::device
