#pragma once
#include "device/moe/path.h"

/// Backend `triton`: plain weights; align, product 1, activation, product 2, reduce. One path a
/// quant scheme.
namespace plumbline::device {

extern const ExpertPath kTritonBf16;
extern const ExpertPath kTritonFp8Block;
extern const ExpertPath kTritonInt8;
extern const ExpertPath kTritonFp8Channel;

}  // namespace plumbline::device
