#pragma once
// HIP on the CPU: kernels compile as plain C++ and run on fibers, one GPU thread each. The folder
// of this header stands in the include path instead of AMD's.
// The order matters: each file uses the names of those before it.
// clang-format off
#include "hipx/language.h"
#include "hip/hip_runtime_api.h"
#include "hipx/switch.h"
#include "hipx/launch.h"
#include "hipx/shared.h"
#include "hipx/warp.h"
#include "hipx/atomic.h"
// clang-format on
