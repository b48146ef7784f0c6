#pragma once
#include "device/abi/implementation.h"

/// How long a call takes that only asks: once inside the library and once through the C ABI, so
/// that the difference is what the border costs.
namespace plumbline {

/// Microseconds of one `refuses` of a routing problem of one token: the best of several loops.
double refuses_microseconds(Implementation& implementation);

}  // namespace plumbline
