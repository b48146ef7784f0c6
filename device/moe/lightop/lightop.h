#pragma once
#include "device/moe/path.h"

/// Backend `lightop`: panels of packed weights, for INT8 in two orders and for FP8.
namespace plumbline::device {

extern const ExpertPath kLightopInt8;
extern const ExpertPath kLightopInt8Kpack2;
extern const ExpertPath kLightopFp8;

}  // namespace plumbline::device
