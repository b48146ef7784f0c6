#pragma once
#include <hip/hip_runtime.h>

#include <cstdint>

#include "device/kernels/number.h"

/// The grouped product of an expert layer: every row is multiplied by the matrix of its expert.
namespace plumbline::device {

/// Rows of one tile of the product; `align_tokens` pads the rows of each expert to it.
inline constexpr std::int32_t kRowTile = 16;
/// Elements along k, and rows of a weight, that share one scale.
inline constexpr std::int32_t kScaleBlock = 128;

/// Element type of `a` and `b`, and what shares a scale.
enum class GemmInput : std::uint8_t {
  kBf16,         ///< no scales
  kE4m3,         ///< blocks of kScaleBlock² of b, groups of kScaleBlock of a
  kE4m3Channel,  ///< rows of a and b
  kI8Channel,    ///< rows of a and b; the sum is exact in 32 bits
};

/// out[r, j] = round((Σ_{c < k_end} a[r / a_divisor, c] · b[expert, j, c] · scales + bias[expert,
/// j]) · row_weight[r]^row_weight_power), bf16; where `sums` is given, the value goes there
/// instead, not rounded. Each tile of kRowTile sorted rows belongs to one expert.
struct GemmArgs {
  const void* a = nullptr;         ///< [⌈rows / a_divisor⌉, k]
  const void* b = nullptr;         ///< [experts, n, k]
  Bf16* out = nullptr;             ///< [rows, n]
  float* sums = nullptr;           ///< [rows, n] or null
  const Bf16* bias = nullptr;      ///< [experts, n] or null
  const float* a_scale = nullptr;  ///< blocks: [⌈rows / a_divisor⌉, ⌈k / 128⌉], else one a row
  const float* b_scale = nullptr;  ///< blocks: [experts, ⌈n / 128⌉, ⌈k / 128⌉], else [experts, n]
  const float* row_weight = nullptr;          ///< [rows], used where row_weight_power > 0
  const std::int32_t* sorted_rows = nullptr;  ///< rows by expert, padded with `rows`
  const std::int32_t* tile_expert = nullptr;  ///< expert of each tile of sorted rows
  const std::int32_t* tile_count = nullptr;   ///< one number: tiles in use
  std::int32_t rows = 0;
  std::int32_t n = 0;
  std::int32_t k = 0;
  std::int32_t k_end = 0;          ///< products beyond it are left out; k
  std::int32_t a_divisor = 1;      ///< rows that share one row of a
  std::int32_t a_scale_shift = 0;  ///< scale row of row r is r + a_scale_shift (wrapped); 0
  std::int32_t b_scale_shift = 0;  ///< channel j has the scale of channel j + it (wrapped); 0
  std::int32_t b_scale_last = 0;   ///< last scale block along k that is used; ⌈k / 128⌉ − 1
  std::int32_t row_weight_power = 0;  ///< 0: no weight, 1: once
  std::int32_t column_tiles = 0;      ///< tiles along n that are launched: gemm_column_tiles(n)
  std::int32_t row_tiles = 0;         ///< tiles of sorted rows at most
  Rounding rounding = Rounding::kNearestEven;
};

/// Tiles along n that cover n columns.
std::int32_t gemm_column_tiles(std::int32_t n);

void launch_expert_gemm(GemmInput input, const GemmArgs& args, hipStream_t stream);

/// c[m, n] = a[m, k] · b[n, k]ᵀ in floats with the kernel of `launch_expert_gemm` (device
/// pointers).
struct FloatGemmArgs {
  const float* a = nullptr;
  const float* b = nullptr;
  float* c = nullptr;
  std::int32_t m = 0;
  std::int32_t n = 0;
  std::int32_t k = 0;
};
void launch_float_gemm(const FloatGemmArgs& args, hipStream_t stream);

}  // namespace plumbline::device
