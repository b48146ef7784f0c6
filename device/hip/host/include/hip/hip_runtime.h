#pragma once
// HIP on the CPU: kernels compile as plain C++ and run on fibers, one GPU thread each. The folder
// of this header stands in the include path instead of AMD's.
// The order matters: each file uses the names of those before it.
// clang-format off
#include "device/hip/host/include/hipx/language.h"
#include "device/hip/host/include/hip/hip_runtime_api.h"
#include "device/hip/host/include/hipx/switch.h"
#include "device/hip/host/include/hipx/launch.h"
#include "device/hip/host/include/hipx/shared.h"
#include "device/hip/host/include/hipx/warp.h"
#include "device/hip/host/include/hipx/atomic.h"
// clang-format on
