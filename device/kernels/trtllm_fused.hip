#include <cstddef>

#include "device/kernels/activate.h"
#include "device/kernels/expert_gemm.h"
#include "device/kernels/gemm_tile.h"
#include "device/kernels/trtllm.h"

namespace plumbline::device {
namespace {

#if defined(PLUMBLINE_TARGET_HOST)
using FusedTile = TileShape<16, 32, 128, 16, 4, 16, 16>;
#else
using FusedTile = TileShape<16, 32, 32, 2, 2, 4, 4>;
#endif

__device__ inline std::int32_t blocks_of(std::int32_t count) {
  return (count + kScaleBlock - 1) / kScaleBlock;
}

__device__ inline Gate gate_of(const FusedArgs& f, std::int32_t expert) {
  return {f.kind, f.limit != nullptr, f.alpha ? f.alpha[expert] : 1.0F,
          f.beta ? f.beta[expert] : 0.0F, f.limit ? f.limit[expert] : 0.0F};
}

/// Multiplies the part sums of one block of k by its scales, adds them to the total and clears
/// them. `offset`: first row of the half, gate or up.
template <class Tile>
__device__ inline void fold_block(const FusedArgs& f, const TilePlace& at, std::int32_t offset,
                                  std::int32_t block, Sums<Tile>& part, Sums<Tile>& total) {
  const std::int32_t blocks = blocks_of(f.k);
  const std::size_t first_row = std::size_t(at.expert) * (2 * f.n / kScaleBlock);
  PLUMBLINE_UNROLL for (int i = 0; i < Tile::kRowsAThread; ++i) {
    const std::int32_t row = at.rows[at.first_row + i];
    const std::int32_t a_row = row < f.rows ? row / f.a_divisor : 0;
    const float sa = f.a_scale[std::size_t(a_row) * blocks + block];
    PLUMBLINE_UNROLL for (int j = 0; j < Tile::kColumnsAThread; ++j) {
      const std::size_t b_row = first_row + (offset + at.column(j)) / kScaleBlock;
      total.sum[i][j].fma(sa * f.b_scale[b_row * blocks + block], part.sum[i][j]);
    }
  }
  part.clear();
}

template <class Tile>
__device__ inline void store_activated(const FusedArgs& f, const TilePlace& at,
                                       const Sums<Tile>& gate, const Sums<Tile>& up) {
  const Gate activation = gate_of(f, at.expert);
  PLUMBLINE_UNROLL for (int i = 0; i < Tile::kRowsAThread; ++i) {
    const std::int32_t row = at.rows[at.first_row + i];
    PLUMBLINE_UNROLL for (int j = 0; j < Tile::kColumnsAThread; ++j) {
      if (row >= f.rows) continue;
      const float value = activate(activation, gate.value(i, j), up.value(i, j));
      f.out[std::size_t(row) * f.n + at.column(j)] = from_float<Bf16>(value);
    }
  }
}

template <class Tile>
__global__ void __launch_bounds__(Tile::kThreads) fused_gate_up(FusedArgs f) {
  static_assert(kScaleBlock % Tile::kDepth == 0 && Tile::kRows == kRowTile);
  static_assert(kScaleBlock % Tile::kColumns == 0);
  static_assert((Tile::kRows + 2 * Tile::kColumns) * Tile::kStride * sizeof(float) <= 48 * 1024);
  PLUMBLINE_SHARED(float, a_tile, [Tile::kRows * Tile::kStride]);
  PLUMBLINE_SHARED(float, gate_tile, [Tile::kColumns * Tile::kStride]);
  PLUMBLINE_SHARED(float, up_tile, [Tile::kColumns * Tile::kStride]);
  PLUMBLINE_SHARED(std::int32_t, rows, [Tile::kRows]);
  const std::int32_t tile = blockIdx.y;
  if (tile >= *f.tile_count) return;
  for (int r = threadIdx.x; r < Tile::kRows; r += Tile::kThreads) {
    rows[r] = f.sorted_rows[tile * Tile::kRows + r];
  }
  __syncthreads();
  const TilePlace at = place_of<Tile>(rows, f.tile_expert[tile]);
  const E4m3* b = f.b + std::size_t(at.expert) * 2 * f.n * f.k;
  const AdjacentRows<E4m3> gate_rows{b, f.gate_offset + at.tile_column, 2 * f.n, f.k};
  const AdjacentRows<E4m3> up_rows{b, f.up_offset + at.tile_column, 2 * f.n, f.k};
  Sums<Tile> gate_part, up_part, gate, up;
  gate_part.clear();
  up_part.clear();
  gate.clear();
  up.clear();
  for (std::int32_t k0 = 0; k0 < f.k; k0 += Tile::kDepth) {
    load_rows<Tile, Tile::kRows>(a_tile, GatheredRowsOf<E4m3, FusedArgs>{f.a, rows, f}, k0, f.k);
    load_rows<Tile, Tile::kColumns>(gate_tile, gate_rows, k0, f.k);
    load_rows<Tile, Tile::kColumns>(up_tile, up_rows, k0, f.k);
    __syncthreads();
    const std::int32_t depth = depth_at<Tile>(k0, f.k);
    accumulate<Tile>(a_tile, gate_tile, at, depth, gate_part);
    accumulate<Tile>(a_tile, up_tile, at, depth, up_part);
    const std::int32_t next = k0 + Tile::kDepth;
    if (next % kScaleBlock == 0 || next >= f.k) {
      fold_block<Tile>(f, at, f.gate_offset, k0 / kScaleBlock, gate_part, gate);
      fold_block<Tile>(f, at, f.up_offset, k0 / kScaleBlock, up_part, up);
    }
    __syncthreads();
  }
  store_activated<Tile>(f, at, gate, up);
}

}  // namespace

void launch_fused_gate_up(const FusedArgs& args, hipStream_t stream) {
  if (args.row_tiles == 0) return;
  const dim3 grid(args.n / FusedTile::kColumns, args.row_tiles);
  hipLaunchKernelGGL(HIP_KERNEL_NAME(fused_gate_up<FusedTile>), grid, dim3(FusedTile::kThreads), 0,
                     stream, args);
}

}  // namespace plumbline::device
