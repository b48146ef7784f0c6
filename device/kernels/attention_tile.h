#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "device/kernels/attention.h"
#include "device/kernels/load_vector.h"
#include "device/kernels/number.h"
#include "device/kernels/portable.h"

/// What the attention kernels share: which keys a row sees, where they lie, and how the threads of
/// a block share a head.
namespace plumbline::device {

/// Threads of a block, and keys of a tile or of a split at most.
inline constexpr int kAttentionThreads = 64;
/// Elements of a head that a thread handles at once.
#if defined(PLUMBLINE_TARGET_HOST)
inline constexpr int kChunkSize = 16;
#else
inline constexpr int kChunkSize = 4;
#endif
using Chunk = hx::vecf<kChunkSize>;

__host__ __device__ inline std::int32_t padded_size(std::int32_t d) {
  return (d + kChunkSize - 1) / kChunkSize * kChunkSize;
}

/// The running softmax of one query row.
struct RowState {
  std::int32_t first;  ///< visible keys: [first, end)
  std::int32_t end;
  float maximum;
  float sum;
  float alpha;  ///< factor for what was summed under the maximum before

  __device__ inline bool sees(std::int32_t key) const { return key >= first && key < end; }
};

/// The sequence, head and rows of a block, and the keys that any of its rows sees.
struct Sequence {
  std::int32_t index;
  std::int32_t head;
  std::int32_t kv_head;
  std::int32_t q_start;
  std::int32_t sq;
  std::int32_t k_start;
  std::int32_t sk;
  std::int32_t first_row;
  std::int32_t first_key;
  std::int32_t last_key;
};

__device__ inline Sequence sequence_of(const AttentionArgs& a, std::int32_t first_row) {
  Sequence s{};
  s.index = blockIdx.z;
  s.head = blockIdx.y;
  s.kv_head = s.head / a.kv_divisor % a.kv_modulus;
  s.q_start = a.cu_q ? a.cu_q[s.index] : s.index;
  s.sq = a.cu_q ? a.cu_q[s.index + 1] - s.q_start : 1;
  s.k_start = a.cu_k ? a.cu_k[s.index] : 0;
  s.sk = a.cu_k ? a.cu_k[s.index + 1] - s.k_start : a.seq_lens[s.index];
  s.sk = (s.sk + a.length_multiple - 1) / a.length_multiple * a.length_multiple;
  s.first_row = first_row;
  return s;
}

/// State of a row before the first key: its visible keys, and the sink.
__device__ inline RowState first_state(const AttentionArgs& a, const Sequence& s,
                                       std::int32_t row) {
  RowState state{0, row < s.sq ? s.sk : 0, -INFINITY, 0.0F, 1.0F};
  const std::int32_t diagonal = row + s.sk - s.sq;
  if (a.causal && diagonal + 1 + a.diagonal < state.end) state.end = diagonal + 1 + a.diagonal;
  if (a.window > 0 && diagonal - a.window + 1 > 0) state.first = diagonal - a.window + 1;
  if (state.end < state.first) state.end = state.first;
  if (a.sinks) {
    state.maximum = a.sinks[s.head];
    state.sum = 1.0F;
  }
  return state;
}

/// Where the row of a key starts in k and v, in elements.
__device__ inline std::size_t key_offset(const AttentionArgs& a, const Sequence& s,
                                         std::int32_t key) {
  std::size_t row = std::size_t(s.k_start) + key;
  if (a.block_table) {
    const std::int32_t* table = a.block_table + std::size_t(s.index) * a.pages;
    row = std::size_t(table[key / a.page]) * a.page + key % a.page;
  }
  return (row * a.hkv + s.kv_head) * a.d;
}

/// Factor that brings what was summed under the maximum `before` under the maximum `now`.
__device__ inline float rescale(float before, float now) {
  return before == now ? 1.0F : expf(before - now);
}

/// The score that softmax sees, from q·k.
__device__ inline float score_of(const AttentionArgs& a, float dot) {
  const float value = dot * a.scale;
  return a.softcap > 0.0F ? a.softcap * tanhf(value / a.softcap) : value;
}

/// Which chunk of the head, and which of the key slices, a thread adds up.
struct Share {
  std::int32_t column;
  std::int32_t slice;  ///< ≥ slices: none
  std::int32_t slices;
};

__device__ inline Share share_of(std::int32_t d) {
  const std::int32_t chunks = padded_size(d) / kChunkSize;
  const auto thread = static_cast<std::int32_t>(threadIdx.x);
  return {thread % chunks * kChunkSize, thread / chunks, kAttentionThreads / chunks};
}

}  // namespace plumbline::device
