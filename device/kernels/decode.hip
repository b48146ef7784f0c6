#include <cmath>

#include "device/kernels/attention.h"
#include "device/kernels/attention_tile.h"

namespace plumbline::device {
namespace {

static_assert(kSplitKeys == kAttentionThreads, "a thread scores one key of the split");

/// Shared memory of a block: one query, and the keys of one split.
struct SplitTile {
  float query[kMaxHeadSize];
  float weight[kSplitKeys];
  float sum[kAttentionThreads];
  float part[kAttentionThreads][kChunkSize];
  float wave_max[kAttentionThreads / 32];
};

/// The visible keys [first, end) of a split.
struct Keys {
  std::int32_t first;
  std::int32_t end;
};

__device__ inline Keys keys_of(const AttentionArgs& a, const RowState& row, std::int32_t split) {
  const std::int32_t first = split * a.split_keys;
  const std::int32_t end = first + a.split_keys;
  return {first > row.first ? first : row.first, end < row.end ? end : row.end};
}

/// Where the partial results of a split lie.
__device__ inline std::size_t place_of(const AttentionArgs& a, const Sequence& s,
                                       std::int32_t split) {
  return (std::size_t(s.index) * a.hq + s.head) * a.splits + split;
}

template <class T>
__device__ inline void load_query(const AttentionArgs& a, const Sequence& s, SplitTile& tile) {
  const T* q = static_cast<const T*>(a.q) + (std::size_t(s.q_start) * a.hq + s.head) * a.d;
  const std::int32_t padded = padded_size(a.d);
  for (std::int32_t c = threadIdx.x; c < padded; c += kAttentionThreads) {
    tile.query[c] = c < a.d ? to_float(q[c]) : 0.0F;
  }
}

template <class T>
__device__ inline float score_key(const AttentionArgs& a, const Sequence& s, std::int32_t key,
                                  const SplitTile& tile) {
  const T* k = static_cast<const T*>(a.k) + key_offset(a, s, key);
  Chunk dot = Chunk::splat(0.0F);
  for (std::int32_t c = 0; c < a.d; c += kChunkSize) {
    dot.fma(Chunk::load(&tile.query[c]), load_vector<kChunkSize>(k + c, a.d - c));
  }
  return score_of(a, dot.sum());
}

/// Largest of the threads' values.
template <int kWave>
__device__ inline float block_max(float value, SplitTile& tile) {
  const float best = hx::warp_max<kWave>(value);
  if (threadIdx.x % kWave == 0) tile.wave_max[threadIdx.x / kWave] = best;
  __syncthreads();
  float result = tile.wave_max[0];
  for (int w = 1; w < kAttentionThreads / kWave; ++w) {
    result = tile.wave_max[w] > result ? tile.wave_max[w] : result;
  }
  return result;
}

/// tile.sum[0] = Σ tile.sum, a tree over the threads: the same order in waves of every size.
__device__ inline void add_up(SplitTile& tile) {
  for (unsigned half = kAttentionThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) tile.sum[threadIdx.x] += tile.sum[threadIdx.x + half];
    __syncthreads();
  }
}

/// The thread's share of Σ weight · v: one chunk of the head and every slices-th key.
template <class T>
__device__ inline Chunk weigh_values(const AttentionArgs& a, const Sequence& s, const Keys& keys,
                                     const SplitTile& tile) {
  const Share share = share_of(a.d);
  Chunk sum = Chunk::splat(0.0F);
  if (share.slice >= share.slices) return sum;
  for (std::int32_t key = keys.first + share.slice; key < keys.end; key += share.slices) {
    const T* v = static_cast<const T*>(a.v) + key_offset(a, s, key) + share.column;
    sum.fma(tile.weight[key - keys.first], load_vector<kChunkSize>(v, a.d - share.column));
  }
  return sum;
}

__device__ inline void store_split(const AttentionArgs& a, std::size_t at, const SplitTile& tile) {
  const Share share = share_of(a.d);
  const int chunks = padded_size(a.d) / kChunkSize;
  for (std::int32_t c = threadIdx.x; c < a.d; c += kAttentionThreads) {
    float value = 0.0F;
    for (int slice = 0; slice < share.slices; ++slice) {
      value += tile.part[slice * chunks + c / kChunkSize][c % kChunkSize];
    }
    a.split_out[at * a.d + c] = value;
  }
}

/// Softmax and P·V over the keys of one split, under the maximum of the split.
template <class T, int kWave>
__global__ void __launch_bounds__(kAttentionThreads) attend_split(AttentionArgs a) {
  PLUMBLINE_SHARED(SplitTile, tile, );
  const std::int32_t split = blockIdx.x;
  const Sequence s = sequence_of(a, 0);
  const Keys keys = keys_of(a, first_state(a, s, 0), split);
  const std::size_t at = place_of(a, s, split);
  if (keys.first >= keys.end) {
    if (threadIdx.x == 0) a.split_max[at] = -INFINITY;
    if (threadIdx.x == 0) a.split_sum[at] = 0.0F;
    return;
  }
  load_query<T>(a, s, tile);
  __syncthreads();
  const std::int32_t key = keys.first + static_cast<std::int32_t>(threadIdx.x);
  const float score = key < keys.end ? score_key<T>(a, s, key, tile) : -INFINITY;
  const float best = block_max<kWave>(score, tile);
  const float weight = score == -INFINITY ? 0.0F : expf(score - best);
  tile.weight[threadIdx.x] = weight;
  tile.sum[threadIdx.x] = weight;
  __syncthreads();
  weigh_values<T>(a, s, keys, tile).store(tile.part[threadIdx.x]);
  add_up(tile);
  store_split(a, at, tile);
  if (threadIdx.x > 0) return;
  a.split_max[at] = best;
  a.split_sum[at] = tile.sum[0];
}

/// The softmax over all splits and the sink: its maximum, and the sum under it.
__device__ inline RowState merged_state(const AttentionArgs& a, const Sequence& s) {
  RowState state = first_state(a, s, 0);
  const float start = state.maximum;
  for (std::int32_t split = 0; split < a.splits; ++split) {
    const float maximum = a.split_max[place_of(a, s, split)];
    state.maximum = maximum > state.maximum ? maximum : state.maximum;
  }
  state.sum *= rescale(start, state.maximum);
  for (std::int32_t split = 0; split < a.splits; ++split) {
    const std::size_t at = place_of(a, s, split);
    if (a.split_sum[at] == 0.0F) continue;
    state.sum += a.split_sum[at] * rescale(a.split_max[at], state.maximum);
  }
  return state;
}

/// Merges the splits of a query: out = Σ split_out · exp(m_split − m) / l.
template <class T>
__global__ void __launch_bounds__(kAttentionThreads) merge_splits(AttentionArgs a) {
  const Sequence s = sequence_of(a, 0);
  const RowState state = merged_state(a, s);
  const std::size_t row = std::size_t(s.q_start) * a.hq + s.head;
  for (std::int32_t c = threadIdx.x; c < a.d; c += kAttentionThreads) {
    float value = 0.0F;
    for (std::int32_t split = 0; split < a.splits; ++split) {
      const std::size_t at = place_of(a, s, split);
      if (a.split_sum[at] == 0.0F) continue;
      value += a.split_out[at * a.d + c] * rescale(a.split_max[at], state.maximum);
    }
    static_cast<T*>(a.out)[row * a.d + c] =
        from_float<T>(state.sum == 0.0F ? 0.0F : value / state.sum, a.rounding);
  }
  if (!a.lse || threadIdx.x > 0) return;
  const float lse = state.sum == 0.0F ? -INFINITY : state.maximum + logf(state.sum);
  a.lse[std::size_t(s.head) * a.tq + s.q_start] = lse * a.lse_factor;
}

template <class T>
void launch_typed(const AttentionArgs& a, int wave, hipStream_t stream) {
  const dim3 threads(kAttentionThreads);
  const dim3 splits(a.splits, a.hq, a.batch);
  if (a.splits > 0 && wave == 32) {
    hipLaunchKernelGGL(HIP_KERNEL_NAME(attend_split<T, 32>), splits, threads, 0, stream, a);
  } else if (a.splits > 0) {
    hipLaunchKernelGGL(HIP_KERNEL_NAME(attend_split<T, 64>), splits, threads, 0, stream, a);
  }
  PLUMBLINE_LAUNCH_NO_SYNC(merge_splits<T>, dim3(1, a.hq, a.batch), threads, 0, stream, a);
}

}  // namespace

void launch_decode(AttentionIo io, const AttentionArgs& args, int wave, hipStream_t stream) {
  if (args.batch == 0) return;
  switch (io) {
    case AttentionIo::kBf16:
      return launch_typed<Bf16>(args, wave, stream);
    case AttentionIo::kF16:
      return launch_typed<F16>(args, wave, stream);
    case AttentionIo::kF32:
      return launch_typed<float>(args, wave, stream);
  }
}

}  // namespace plumbline::device
