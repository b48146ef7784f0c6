#include "device/kernels/lightop.h"
#include "device/kernels/portable.h"

namespace plumbline::device {
namespace {

constexpr int kThreads = 64;

__device__ inline std::int32_t rows_of(const PermuteArgs& a, std::int32_t expert) {
  std::int32_t count = 0;
  for (std::int32_t slot = 0; slot < a.slots; ++slot) count += a.ids[slot] == expert ? 1 : 0;
  return count;
}

/// Counts become places.
__device__ inline void place_experts(const PermuteArgs& a) {
  std::int32_t rows = 0;
  std::int32_t tiles = 0;
  for (std::int32_t e = 0; e < a.experts; ++e) {
    const std::int32_t count = a.first_row[e];
    a.first_row[e] = rows;
    a.first_tile[e] = tiles;
    rows += count;
    tiles += (count + kPanelTile - 1) / kPanelTile;
  }
  a.counts[0] = rows;
  a.counts[1] = tiles;
}

__device__ inline void write_rows(const PermuteArgs& a, std::int32_t expert) {
  const std::int32_t first = a.first_row[expert];
  const std::int32_t tile = a.first_tile[expert];
  std::int32_t count = 0;
  for (std::int32_t slot = 0; slot < a.slots; ++slot) {
    if (a.ids[slot] != expert) continue;
    a.row_slot[first + count] = slot;
    a.slot_row[slot] = first + count;
    ++count;
  }
  for (std::int32_t done = 0; done < count; done += kPanelTile) {
    const std::int32_t place = tile + done / kPanelTile;
    a.tile_expert[place] = expert;
    a.tile_first[place] = first + done;
    a.tile_rows[place] = count - done < kPanelTile ? count - done : kPanelTile;
  }
}

__global__ void __launch_bounds__(kThreads) permute_tokens(PermuteArgs a) {
  for (std::int32_t e = threadIdx.x; e < a.experts; e += kThreads) a.first_row[e] = rows_of(a, e);
  if (a.barriers > 0) __syncthreads();
  if (threadIdx.x == 0) place_experts(a);
  if (a.barriers > 1) __syncthreads();
  for (std::int32_t e = threadIdx.x; e < a.experts; e += kThreads) write_rows(a, e);
}

}  // namespace

void launch_permute(const PermuteArgs& args, hipStream_t stream) {
  hipLaunchKernelGGL(permute_tokens, dim3(1), dim3(kThreads), 0, stream, args);
}

}  // namespace plumbline::device
