#pragma once
#include "device/abi/implementation.h"

namespace plumbline::device {

/// What the embedded implementation offers on the host target with waves of that many lanes.
Manifest embedded_manifest(int wave);

}  // namespace plumbline::device
