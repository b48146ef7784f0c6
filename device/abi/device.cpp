#include "device/abi/device.h"

#include <hip/hip_runtime.h>

#include "device/kernels/buffer.h"
#include "reference/spec/status.h"

namespace plumbline::device {
namespace {

#if defined(PLUMBLINE_TARGET_HOST)
constexpr const char* kTarget = "host";
#elif defined(PLUMBLINE_TARGET_NVIDIA)
constexpr const char* kTarget = "nvidia";
#else
constexpr const char* kTarget = "amd";
#endif

}  // namespace

ChosenDevice choose_device(int wave) {
  int count = 0;
  const hipError_t error = hipGetDeviceCount(&count);
  if (error != hipSuccess || count == 0) {
    throw DeviceError(std::string("no ") + kTarget + " device: " + hipGetErrorName(error));
  }
  std::string waves;
  for (int index = 0; index < count; ++index) {
    hipDeviceProp_t properties{};
    require(hipGetDeviceProperties(&properties, index), "hipGetDeviceProperties");
    if (wave == 0 || properties.warpSize == wave) {
      return {index, properties.warpSize, properties.name, kTarget};
    }
    waves += (waves.empty() ? "" : " or ") + std::to_string(properties.warpSize);
  }
  throw BadInput("--wave", std::to_string(wave), "the wave is " + waves);
}

}  // namespace plumbline::device
