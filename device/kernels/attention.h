#pragma once
#include <hip/hip_runtime.h>

#include <cstdint>

#include "device/kernels/number.h"

/// Attention with LSE: over varlen sequences (prefill: a block of queries walks along the keys) and
/// over paged caches (decode: the keys of a query are split, then the splits are merged).
namespace plumbline::device {

/// Longest head the kernels take.
inline constexpr std::int32_t kMaxHeadSize = 256;

/// Most keys of a split.
inline constexpr std::int32_t kSplitKeys = 64;

/// Element type of q, k, v and out.
enum class AttentionIo : std::uint8_t { kBf16, kF16, kF32 };

/// For each sequence, head and query row: s_j = scale · q·k_j, with softcap s ↦ cap·tanh(s/cap);
/// over the visible keys m = max s, l = Σ exp(s_j − m), out = Σ exp(s_j − m) v_j / l in fp32,
/// rounded once; lse = (m + ln l) · lse_factor. A sink takes part in m and l. Row r of a sequence
/// sees the keys j < min(sk, r + sk − sq + 1 + diagonal) where causal, and j > r + sk − sq − window
/// where window > 0. Data of other keys is never used. No visible key: out = 0, lse = −inf or the
/// sink.
struct AttentionArgs {
  const void* q = nullptr;  ///< [tq, hq, d]
  const void* k = nullptr;  ///< [rows, hkv, d]; a row is a key, or a slot of a page
  const void* v = nullptr;
  const std::int32_t* cu_q = nullptr;         ///< [b + 1]; null: one query a sequence
  const std::int32_t* cu_k = nullptr;         ///< [b + 1], varlen
  const std::int32_t* block_table = nullptr;  ///< [b, pages], paged
  const std::int32_t* seq_lens = nullptr;     ///< [b], paged
  const float* sinks = nullptr;               ///< [hq] or null
  void* out = nullptr;                        ///< [tq, hq, d]
  float* lse = nullptr;                       ///< [hq, tq] or null
  float* split_out = nullptr;  ///< decode, work space [b, hq, splits, d]: Σ exp(s_j − m) v_j
  float* split_max = nullptr;  ///< decode, work space [b, hq, splits]: m of the split
  float* split_sum = nullptr;  ///< decode, work space [b, hq, splits]: l of the split; 0: no key
  std::int32_t batch = 0;
  std::int32_t max_sq = 0;  ///< longest query sequence
  std::int32_t tq = 0;
  std::int32_t hq = 0;
  std::int32_t hkv = 0;
  std::int32_t d = 0;
  std::int32_t page = 0;
  std::int32_t pages = 0;
  std::int32_t split_keys = kSplitKeys;  ///< decode: keys of a split, at most kSplitKeys
  std::int32_t splits = 0;               ///< decode: ⌈longest sequence / split_keys⌉
  std::int32_t kv_divisor = 1;           ///< head h reads K/V head (h / kv_divisor) % kv_modulus
  std::int32_t kv_modulus = 1;
  bool causal = false;
  std::int32_t diagonal = 0;         ///< shift of the causal edge; 0
  std::int32_t window = 0;           ///< 0: none
  std::int32_t length_multiple = 1;  ///< lengths are rounded up to it; 1
  float scale = 1.0F;
  float softcap = 0.0F;  ///< 0: none
  float lse_factor = 1.0F;
  Rounding rounding = Rounding::kNearestEven;
};

/// Varlen attention.
void launch_prefill(AttentionIo io, const AttentionArgs& args, hipStream_t stream);

/// Paged attention of one query a sequence. Which keys make a split does not depend on the other
/// sequences, so that a sequence has the same bits in every batch. `wave`: lanes of a wave of the
/// current device, 32 or 64; the bits do not depend on it.
void launch_decode(AttentionIo io, const AttentionArgs& args, int wave, hipStream_t stream);

}  // namespace plumbline::device
