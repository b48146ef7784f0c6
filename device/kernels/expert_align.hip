#include "device/kernels/expert_gemm.h"
#include "device/kernels/experts.h"
#include "device/kernels/portable.h"

namespace plumbline::device {
namespace {

constexpr int kAlignThreads = 64;

__device__ inline std::int32_t tiles_of(const AlignArgs& a, std::int32_t expert) {
  std::int32_t count = 0;
  for (std::int32_t slot = 0; slot < a.slots; ++slot) count += a.ids[slot] == expert ? 1 : 0;
  return (count + kRowTile - 1) / kRowTile;
}

__device__ inline void write_rows(const AlignArgs& a, std::int32_t expert) {
  std::int32_t tile = a.first_tile[expert];
  std::int32_t at = 0;
  for (std::int32_t slot = 0; slot < a.slots; ++slot) {
    if (a.ids[slot] != expert) continue;
    if (at == 0) a.tile_expert[tile] = expert;
    a.sorted_rows[tile * kRowTile + at] = slot;
    at = (at + 1) % kRowTile;
    if (at == 0) ++tile;
  }
  for (; at != 0; at = (at + 1) % kRowTile) a.sorted_rows[tile * kRowTile + at] = a.slots;
}

__global__ void __launch_bounds__(kAlignThreads) align_tokens(AlignArgs a) {
  for (std::int32_t e = threadIdx.x; e < a.experts; e += kAlignThreads) {
    a.first_tile[e] = tiles_of(a, e);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    std::int32_t total = 0;
    for (std::int32_t e = 0; e < a.experts; ++e) {
      const std::int32_t tiles = a.first_tile[e];
      a.first_tile[e] = total;
      total += tiles;
    }
    *a.tile_count = total;
  }
  __syncthreads();
  for (std::int32_t e = threadIdx.x; e < a.experts; e += kAlignThreads) write_rows(a, e);
}

}  // namespace

void launch_align(const AlignArgs& args, hipStream_t stream) {
  hipLaunchKernelGGL(align_tokens, dim3(1), dim3(kAlignThreads), 0, stream, args);
}

}  // namespace plumbline::device
