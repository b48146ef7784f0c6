#pragma once
#include <hip/hip_runtime.h>

#include <cstdint>

#include "device/kernels/number.h"

/// The steps of an expert layer around its two products.
namespace plumbline::device {

/// Sorts the token slots (token · k + choice) by expert: `sorted_rows` gets the slots of expert 0,
/// padded with `slots` to a multiple of kRowTile, then those of expert 1, …; ascending inside an
/// expert. Slots whose id is not in [0, experts) are left out.
struct AlignArgs {
  const std::int32_t* ids = nullptr;    ///< [slots]
  std::int32_t* sorted_rows = nullptr;  ///< [max_tiles · kRowTile]
  std::int32_t* tile_expert = nullptr;  ///< [max_tiles]
  std::int32_t* tile_count = nullptr;   ///< [1]
  std::int32_t* first_tile = nullptr;   ///< [experts] work space
  std::int32_t slots = 0;
  std::int32_t experts = 0;
};
void launch_align(const AlignArgs& args, hipStream_t stream);

enum class GateKind : std::uint8_t { kSilu, kSwiglu, kRelu2 };

/// out[r, c] = round(act(in[r, gate_offset + c], in[r, up_offset + c])), computed in fp32.
/// silu: g·σ(g)·u; swiglu: min(g, L)·σ(alpha·min(g, L))·(clamp(u, ±L) + beta); relu2: max(g, 0)².
struct ActivationArgs {
  const Bf16* in = nullptr;  ///< [rows, in_columns]
  Bf16* out = nullptr;       ///< [rows, columns]
  std::int32_t rows = 0;
  std::int32_t columns = 0;
  std::int32_t in_columns = 0;
  std::int32_t gate_offset = 0;
  std::int32_t up_offset = 0;
  GateKind kind = GateKind::kSilu;
  float alpha = 1.0F;
  float beta = 0.0F;
  float limit = 0.0F;  ///< 0: none
  Rounding rounding = Rounding::kNearestEven;
};
void launch_activation(const ActivationArgs& args, hipStream_t stream);

/// Dynamic quantisation of groups of kScaleBlock elements of a row: s = max(absmax, 1e-10) / 448,
/// q = e4m3(x / s), saturating. The last group of a row may be shorter.
struct QuantiseArgs {
  const Bf16* in = nullptr;  ///< [rows, columns]
  E4m3* out = nullptr;       ///< [rows, columns]
  float* scale = nullptr;    ///< [rows, ⌈columns / 128⌉]
  std::int32_t rows = 0;
  std::int32_t columns = 0;
};
void launch_quantise(const QuantiseArgs& args, hipStream_t stream);

/// The activation of one expert as kernels take it (activate.h).
struct Gate {
  GateKind kind = GateKind::kSilu;
  bool limited = false;
  float alpha = 1.0F;
  float beta = 0.0F;
  float limit = 0.0F;
};

__host__ __device__ inline Gate gate_of(const ActivationArgs& a) {
  return {a.kind, a.limit > 0.0F, a.alpha, a.beta, a.limit};
}

/// Codes of a quantised token: e4m3, or integers in ±127.
enum class TokenCode : std::uint8_t { kE4m3, kI8 };

/// Dynamic quantisation of whole rows: s = max(absmax, 1e-10) / 448 or / 127,
/// q = nearest_even(x / s), saturating. A NaN or an infinity makes the scale of its row infinite.
/// Row r of the result is row source[r] / divisor of `in` (r itself without source), times
/// weight[source[r]] rounded to bf16 where there are weights. Rows that *count says are not there
/// are left alone.
struct TokenQuantiseArgs {
  const Bf16* in = nullptr;
  const std::int32_t* source = nullptr;  ///< [rows] or null
  const std::int32_t* count = nullptr;   ///< one number: rows in use; null: all
  const float* weight = nullptr;         ///< by source row; null: none
  void* out = nullptr;                   ///< [rows, columns]
  float* scale = nullptr;                ///< [rows]
  std::int32_t divisor = 1;
  std::int32_t rows = 0;
  std::int32_t columns = 0;
  std::int32_t threads = 64;  ///< of a block, which works on one row: the lanes of a wave
};
void launch_quantise_tokens(TokenCode code, const TokenQuantiseArgs& args, int wave,
                            hipStream_t stream);

/// out[t] = round((Σ_j w[t, j] · y[row of slot t·k + j]) · scale) in fp32, j ascending, rounded
/// once. Ids outside [0, experts + identities) add nothing; ids in [experts, experts + identities)
/// add x[t] · w[t, j].
struct CombineArgs {
  const float* y = nullptr;           ///< [rows, columns]
  const std::int32_t* row = nullptr;  ///< [tokens·k] row of y of each slot; null: the slot itself
  const Bf16* x = nullptr;            ///< [tokens, columns]
  const std::int32_t* ids = nullptr;  ///< [tokens, k]
  const float* weights = nullptr;     ///< [tokens, k]
  Bf16* out = nullptr;                ///< [tokens, columns]
  std::int32_t tokens = 0;
  std::int32_t columns = 0;
  std::int32_t k = 0;
  std::int32_t experts = 0;
  std::int32_t identities = 0;
  std::int32_t weight_power = 1;  ///< 0: the weight is in y already
  float scale = 1.0F;
};
void launch_combine(const CombineArgs& args, hipStream_t stream);

/// out[t] = round((Σ_j y[t·k + j]) · scale^scale_power) in fp32, j ascending; ids outside
/// [0, experts + identities) add nothing; ids in [experts, experts + identities) add
/// x[t] · weight[t, j].
struct ReduceArgs {
  const Bf16* y = nullptr;            ///< [tokens·k, columns], weighted
  const Bf16* x = nullptr;            ///< [tokens, columns]
  const std::int32_t* ids = nullptr;  ///< [tokens, k]
  const float* weights = nullptr;     ///< [tokens, k]
  Bf16* out = nullptr;                ///< [tokens, columns]
  std::int32_t tokens = 0;
  std::int32_t columns = 0;
  std::int32_t k = 0;
  std::int32_t experts = 0;
  std::int32_t identities = 0;
  float scale = 1.0F;
  std::int32_t scale_power = 1;
  Rounding rounding = Rounding::kNearestEven;
};
void launch_reduce(const ReduceArgs& args, hipStream_t stream);

}  // namespace plumbline::device
