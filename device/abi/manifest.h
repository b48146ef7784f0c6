#pragma once
#include "device/abi/device.h"
#include "device/abi/implementation.h"

namespace plumbline::device {

/// What the embedded implementation offers on a device.
Manifest embedded_manifest(const ChosenDevice& device);

}  // namespace plumbline::device
