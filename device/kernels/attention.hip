#include <cmath>

#include "device/kernels/attention.h"
#include "device/kernels/attention_tile.h"

namespace plumbline::device {
namespace {

/// Shared memory of a block: a few query rows of one head, and a tile of keys.
template <int kRows>
struct AttentionTile {
  float query[kRows][kMaxHeadSize];
  float score[kRows][kAttentionThreads];  ///< scores, then their exponentials
  float part[kAttentionThreads][kRows][kChunkSize];
  RowState rows[kRows];
};

/// Sets the keys that a block has to look at; the rows' states must be in shared memory.
template <int kRows>
__device__ inline void bound_keys(const AttentionTile<kRows>& tile, Sequence& s) {
  s.first_key = s.sk;
  s.last_key = 0;
  PLUMBLINE_UNROLL for (int r = 0; r < kRows; ++r) {
    const RowState& row = tile.rows[r];
    if (row.first >= row.end) continue;
    s.first_key = row.first < s.first_key ? row.first : s.first_key;
    s.last_key = row.end > s.last_key ? row.end : s.last_key;
  }
}

template <class T, int kRows>
__device__ inline void load_queries(const AttentionArgs& a, const Sequence& s,
                                    AttentionTile<kRows>& tile) {
  const std::int32_t padded = padded_size(a.d);
  for (int index = threadIdx.x; index < kRows * padded; index += kAttentionThreads) {
    const int r = index / padded;
    const int c = index % padded;
    const bool there = s.first_row + r < s.sq && c < a.d;
    const std::size_t row = std::size_t(s.q_start + s.first_row + r) * a.hq + s.head;
    tile.query[r][c] = there ? to_float(static_cast<const T*>(a.q)[row * a.d + c]) : 0.0F;
  }
}

/// Scores of one key, the thread's own, against all rows of the tile.
template <class T, int kRows>
__device__ inline void score(const AttentionArgs& a, const Sequence& s, std::int32_t key,
                             AttentionTile<kRows>& tile) {
  const T* k = static_cast<const T*>(a.k) + key_offset(a, s, key);
  Chunk dot[kRows];
  PLUMBLINE_UNROLL for (int r = 0; r < kRows; ++r) dot[r] = Chunk::splat(0.0F);
  for (std::int32_t c = 0; c < a.d; c += kChunkSize) {
    const Chunk values = load_vector<kChunkSize>(k + c, a.d - c);
    PLUMBLINE_UNROLL for (int r = 0; r < kRows; ++r) dot[r].fma(Chunk::load(&tile.query[r][c]),
                                                                values);
  }
  PLUMBLINE_UNROLL for (int r = 0; r < kRows; ++r) {
    const float value = score_of(a, dot[r].sum());
    tile.score[r][threadIdx.x] = tile.rows[r].sees(key) ? value : -INFINITY;
  }
}

/// Raises the running maximum of each row to that of the tile; `alpha` rescales what was summed.
template <int kRows>
__device__ inline void raise_maximum(AttentionTile<kRows>& tile) {
  if (threadIdx.x >= kRows) return;
  const int r = threadIdx.x;
  const float before = tile.rows[r].maximum;
  float best = before;
  for (int j = 0; j < kAttentionThreads; ++j) {
    best = tile.score[r][j] > best ? tile.score[r][j] : best;
  }
  tile.rows[r].alpha = rescale(before, best);
  tile.rows[r].maximum = best;
}

template <int kRows>
__device__ inline void weigh(std::int32_t key, AttentionTile<kRows>& tile) {
  PLUMBLINE_UNROLL for (int r = 0; r < kRows; ++r) {
    const float value = tile.score[r][threadIdx.x] - tile.rows[r].maximum;
    tile.score[r][threadIdx.x] = tile.rows[r].sees(key) ? expf(value) : 0.0F;
  }
}

template <int kRows>
__device__ inline void add_weights(AttentionTile<kRows>& tile) {
  if (threadIdx.x >= kRows) return;
  RowState& row = tile.rows[threadIdx.x];
  float sum = row.sum * row.alpha;
  for (int j = 0; j < kAttentionThreads; ++j) sum += tile.score[threadIdx.x][j];
  row.sum = sum;
}

/// Adds the weighted values of the tile's keys. A thread owns one chunk of the head and every
/// slices-th key.
template <class T, int kRows>
__device__ inline void accumulate(const AttentionArgs& a, const Sequence& s, std::int32_t first_key,
                                  const AttentionTile<kRows>& tile, Chunk (&sum)[kRows]) {
  const Share share = share_of(a.d);
  PLUMBLINE_UNROLL for (int r = 0; r < kRows; ++r) sum[r].scale(tile.rows[r].alpha);
  if (share.slice >= share.slices) return;
  for (int j = share.slice; j < kAttentionThreads; j += share.slices) {
    const std::int32_t key = first_key + j;
    if (key >= s.last_key) return;
    const T* v = static_cast<const T*>(a.v) + key_offset(a, s, key) + share.column;
    const Chunk values = load_vector<kChunkSize>(v, a.d - share.column);
    PLUMBLINE_UNROLL for (int r = 0; r < kRows; ++r) {
      if (tile.rows[r].sees(key)) sum[r].fma(tile.score[r][j], values);
    }
  }
}

template <class T, int kRows>
__device__ inline void store_rows(const AttentionArgs& a, const Sequence& s,
                                  const AttentionTile<kRows>& tile) {
  const Share share = share_of(a.d);
  const int chunks = padded_size(a.d) / kChunkSize;
  for (int index = threadIdx.x; index < kRows * a.d; index += kAttentionThreads) {
    const int r = index / a.d;
    const int c = index % a.d;
    if (s.first_row + r >= s.sq) continue;
    float value = 0.0F;
    for (int slice = 0; slice < share.slices; ++slice) {
      value += tile.part[slice * chunks + c / kChunkSize][r][c % kChunkSize];
    }
    const float sum = tile.rows[r].sum;
    const std::size_t row = std::size_t(s.q_start + s.first_row + r) * a.hq + s.head;
    static_cast<T*>(a.out)[row * a.d + c] =
        from_float<T>(sum == 0.0F ? 0.0F : value / sum, a.rounding);
  }
  const std::int32_t r = threadIdx.x;
  if (!a.lse || r >= kRows || s.first_row + r >= s.sq) return;
  const RowState& row = tile.rows[r];
  const float lse = row.sum == 0.0F ? -INFINITY : row.maximum + logf(row.sum);
  a.lse[std::size_t(s.head) * a.tq + s.q_start + s.first_row + r] = lse * a.lse_factor;
}

template <class T, int kRows>
__global__ void __launch_bounds__(kAttentionThreads) attend(AttentionArgs a) {
  PLUMBLINE_SHARED(AttentionTile<kRows>, tile, );
  Sequence s = sequence_of(a, static_cast<std::int32_t>(blockIdx.x) * kRows);
  if (s.first_row >= s.sq) return;
  if (threadIdx.x < kRows) tile.rows[threadIdx.x] = first_state(a, s, s.first_row + threadIdx.x);
  load_queries<T>(a, s, tile);
  __syncthreads();
  bound_keys(tile, s);
  Chunk sum[kRows];
  PLUMBLINE_UNROLL for (int r = 0; r < kRows; ++r) sum[r] = Chunk::splat(0.0F);
  for (std::int32_t first = s.first_key; first < s.last_key; first += kAttentionThreads) {
    const std::int32_t key = first + static_cast<std::int32_t>(threadIdx.x);
    if (key < s.last_key) {
      score<T>(a, s, key, tile);
    } else {
      PLUMBLINE_UNROLL for (int r = 0; r < kRows; ++r) tile.score[r][threadIdx.x] = -INFINITY;
    }
    __syncthreads();
    raise_maximum(tile);
    __syncthreads();
    weigh(key, tile);
    __syncthreads();
    add_weights(tile);
    accumulate<T>(a, s, first, tile, sum);
    __syncthreads();
  }
  PLUMBLINE_UNROLL for (int r = 0; r < kRows; ++r) sum[r].store(tile.part[threadIdx.x][r]);
  __syncthreads();
  store_rows<T>(a, s, tile);
}

template <class T>
void launch_typed(const AttentionArgs& a, hipStream_t stream) {
  constexpr int kRows = 4;  // queries that share each key that is read
  const dim3 grid((a.max_sq + kRows - 1) / kRows, a.hq, a.batch);
  hipLaunchKernelGGL(HIP_KERNEL_NAME(attend<T, kRows>), grid, dim3(kAttentionThreads), 0, stream,
                     a);
}

}  // namespace

void launch_prefill(AttentionIo io, const AttentionArgs& args, hipStream_t stream) {
  if (args.max_sq == 0) return;
  switch (io) {
    case AttentionIo::kBf16:
      return launch_typed<Bf16>(args, stream);
    case AttentionIo::kF16:
      return launch_typed<F16>(args, stream);
    case AttentionIo::kF32:
      return launch_typed<float>(args, stream);
  }
}

}  // namespace plumbline::device
