#pragma once
#include <string_view>

#include "reference/spec/tensor.h"

namespace plumbline::contract {

/// A weight with the scales of its scheme.
struct QuantisedWeight {
  Tensor codes;
  Tensor scale;
};

/// How a bf16 weight [e, rows, k] becomes one of `quant` (w8a8_int8, w8a8_fp8_channel: one scale a
/// row; fp8_block128: one a block of 128 × 128): scale = absmax / largest code in fp32, 1 where all
/// is zero; code = the one nearest to value / scale (fp32), ties to even. Throws ContractViolation
/// for other schemes.
QuantisedWeight quantise_online(const Tensor& weight, std::string_view quant);

}  // namespace plumbline::contract
