#pragma once
#include <hip/hip_runtime.h>

#include <cstdint>

#include "device/kernels/experts.h"
#include "device/kernels/number.h"

/// The fused first product of the backend `flashinfer_trtllm_routed`.
namespace plumbline::device {

/// out[r, j] = bf16(act(g, u)) with g and u in fp32: the products of row r / a_divisor of `a` with
/// rows gate_offset + j and up_offset + j of its expert's matrix, scaled by blocks of 128. alpha,
/// beta and limit are those of the expert. Each tile of 16 sorted rows belongs to one expert.
struct FusedArgs {
  const E4m3* a = nullptr;                    ///< [⌈rows / a_divisor⌉, k]
  const float* a_scale = nullptr;             ///< [⌈rows / a_divisor⌉, ⌈k / 128⌉]
  const E4m3* b = nullptr;                    ///< [experts, 2n, k]
  const float* b_scale = nullptr;             ///< [experts, 2n / 128, ⌈k / 128⌉]
  const float* alpha = nullptr;               ///< [experts]; null: 1
  const float* beta = nullptr;                ///< [experts]; null: 0
  const float* limit = nullptr;               ///< [experts]; null: none
  const std::int32_t* sorted_rows = nullptr;  ///< rows by expert, padded with `rows`
  const std::int32_t* tile_expert = nullptr;  ///< expert of each tile of sorted rows
  const std::int32_t* tile_count = nullptr;   ///< one number: tiles in use
  Bf16* out = nullptr;                        ///< [rows, n]
  std::int32_t rows = 0;
  std::int32_t n = 0;  ///< a multiple of 128
  std::int32_t k = 0;
  std::int32_t a_divisor = 1;
  std::int32_t gate_offset = 0;
  std::int32_t up_offset = 0;
  std::int32_t row_tiles = 0;
  GateKind kind = GateKind::kSilu;
};
void launch_fused_gate_up(const FusedArgs& args, hipStream_t stream);

}  // namespace plumbline::device
