#include "device/kernels/expert_gemm.h"
#include "device/kernels/gemm_tile.h"

namespace plumbline::device {
namespace {

__host__ __device__ inline std::int32_t blocks_of(std::int32_t count) {
  return (count + kScaleBlock - 1) / kScaleBlock;
}

/// Multiplies the part sums of one scale block by the scales of their row and column, adds them to
/// the total and clears them.
template <class Tile>
__device__ inline void fold_scaled(const GemmArgs& g, const TilePlace& at, std::int32_t block,
                                   Sums<Tile>& part, Sums<Tile>& total) {
  const std::int32_t blocks = blocks_of(g.k);
  const std::int32_t a_rows = (g.rows + g.a_divisor - 1) / g.a_divisor;
  const std::int32_t b_block = block < g.b_scale_last ? block : g.b_scale_last;
  PLUMBLINE_UNROLL for (int i = 0; i < Tile::kRowsAThread; ++i) {
    const std::int32_t row = at.rows[at.first_row + i];
    const std::int32_t a_row = row < g.rows ? (row / g.a_divisor + g.a_scale_shift) % a_rows : 0;
    const float sa = g.a_scale[std::size_t(a_row) * blocks + block];
    PLUMBLINE_UNROLL for (int j = 0; j < Tile::kColumnsAThread; ++j) {
      const std::int32_t column = at.column(j) < g.n ? at.column(j) : g.n - 1;
      const std::size_t b_row = std::size_t(at.expert) * blocks_of(g.n) + column / kScaleBlock;
      total.sum[i][j].fma(sa * g.b_scale[b_row * blocks + b_block], part.sum[i][j]);
    }
  }
  part.clear();
}

template <class Tile>
__device__ inline void store_rows(const GemmArgs& g, const TilePlace& at, const Sums<Tile>& total) {
  PLUMBLINE_UNROLL for (int i = 0; i < Tile::kRowsAThread; ++i) {
    const std::int32_t row = at.rows[at.first_row + i];
    PLUMBLINE_UNROLL for (int j = 0; j < Tile::kColumnsAThread; ++j) {
      const std::int32_t column = at.column(j);
      if (row >= g.rows || column >= g.n) continue;
      float value = total.sum[i][j].sum();
      if (g.bias) value += to_float(g.bias[std::size_t(at.expert) * g.n + column]);
      for (int p = 0; p < g.row_weight_power; ++p) value *= g.row_weight[row];
      g.out[std::size_t(row) * g.n + column] = from_float<Bf16>(value, g.rounding);
    }
  }
}

template <class T, class Tile, bool kScaled>
__global__ void __launch_bounds__(Tile::kThreads) expert_gemm(GemmArgs g) {
  static_assert(kScaleBlock % Tile::kDepth == 0 && Tile::kRows == kRowTile);
  PLUMBLINE_SHARED(float, a_tile, [Tile::kRows * Tile::kStride]);
  PLUMBLINE_SHARED(float, b_tile, [Tile::kColumns * Tile::kStride]);
  PLUMBLINE_SHARED(std::int32_t, rows, [Tile::kRows]);
  const std::int32_t tile = blockIdx.y;
  if (tile >= *g.tile_count) return;
  for (int r = threadIdx.x; r < Tile::kRows; r += Tile::kThreads) {
    rows[r] = g.sorted_rows[tile * Tile::kRows + r];
  }
  __syncthreads();
  const TilePlace at = place_of<Tile>(rows, g.tile_expert[tile]);
  const T* b = static_cast<const T*>(g.b) + std::size_t(at.expert) * g.n * g.k;
  Sums<Tile> part;
  Sums<Tile> total;
  part.clear();
  total.clear();
  for (std::int32_t k0 = 0; k0 < g.k_end; k0 += Tile::kDepth) {
    load_rows<Tile, Tile::kRows>(
        a_tile, GatheredRowsOf<T, GemmArgs>{static_cast<const T*>(g.a), rows, g}, k0, g.k_end);
    load_rows<Tile, Tile::kColumns>(b_tile, AdjacentRows<T>{b, at.tile_column, g.n, g.k}, k0,
                                    g.k_end);
    __syncthreads();
    accumulate<Tile>(a_tile, b_tile, at, depth_at<Tile>(k0, g.k_end), part);
    const std::int32_t next = k0 + Tile::kDepth;
    if (kScaled && (next % kScaleBlock == 0 || next >= g.k_end)) {
      fold_scaled<Tile>(g, at, k0 / kScaleBlock, part, total);
    }
    __syncthreads();
  }
  store_rows<Tile>(g, at, kScaled ? total : part);
}

template <class Tile>
__global__ void __launch_bounds__(Tile::kThreads) float_gemm(FloatGemmArgs g) {
  PLUMBLINE_SHARED(float, a_tile, [Tile::kRows * Tile::kStride]);
  PLUMBLINE_SHARED(float, b_tile, [Tile::kColumns * Tile::kStride]);
  const TilePlace at = place_of<Tile>(nullptr, 0);
  const std::int32_t row0 = static_cast<std::int32_t>(blockIdx.y) * Tile::kRows;
  Sums<Tile> part;
  part.clear();
  for (std::int32_t k0 = 0; k0 < g.k; k0 += Tile::kDepth) {
    load_rows<Tile, Tile::kRows>(a_tile, AdjacentRows<float>{g.a, row0, g.m, g.k}, k0, g.k);
    load_rows<Tile, Tile::kColumns>(b_tile, AdjacentRows<float>{g.b, at.tile_column, g.n, g.k}, k0,
                                    g.k);
    __syncthreads();
    accumulate<Tile>(a_tile, b_tile, at, depth_at<Tile>(k0, g.k), part);
    __syncthreads();
  }
  PLUMBLINE_UNROLL for (int i = 0; i < Tile::kRowsAThread; ++i) {
    const std::int32_t row = row0 + at.first_row + i;
    PLUMBLINE_UNROLL for (int j = 0; j < Tile::kColumnsAThread; ++j) {
      const std::int32_t column = at.column(j);
      if (row < g.m && column < g.n) g.c[std::size_t(row) * g.n + column] = part.sum[i][j].sum();
    }
  }
}

template <class T, bool kScaled>
void launch_typed_gemm(const GemmArgs& args, hipStream_t stream) {
  hipLaunchKernelGGL(HIP_KERNEL_NAME(expert_gemm<T, ExpertTile, kScaled>),
                     dim3(args.column_tiles, args.row_tiles), dim3(ExpertTile::kThreads), 0, stream,
                     args);
}

}  // namespace

std::int32_t gemm_column_tiles(std::int32_t n) {
  return (n + ExpertTile::kColumns - 1) / ExpertTile::kColumns;
}

void launch_expert_gemm(GemmInput input, const GemmArgs& args, hipStream_t stream) {
  if (args.column_tiles == 0 || args.row_tiles == 0) return;
  if (input == GemmInput::kE4m3) return launch_typed_gemm<E4m3, true>(args, stream);
  return launch_typed_gemm<Bf16, false>(args, stream);
}

void launch_float_gemm(const FloatGemmArgs& args, hipStream_t stream) {
  const dim3 grid((args.n + ExpertTile::kColumns - 1) / ExpertTile::kColumns,
                  (args.m + ExpertTile::kRows - 1) / ExpertTile::kRows);
  hipLaunchKernelGGL(HIP_KERNEL_NAME(float_gemm<ExpertTile>), grid, dim3(ExpertTile::kThreads), 0,
                     stream, args);
}

}  // namespace plumbline::device
