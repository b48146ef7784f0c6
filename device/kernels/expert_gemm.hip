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

/// What shares a scale of the product.
enum class Scales : std::uint8_t { kNone, kBlock, kChannel };

/// Sums of integers: exact, as long as they stay within 32 bits.
template <class Tile>
struct Counts {
  std::int32_t sum[Tile::kRowsAThread][Tile::kColumnsAThread];

  __device__ inline void clear() {
    PLUMBLINE_UNROLL for (int i = 0; i < Tile::kRowsAThread; ++i) {
      PLUMBLINE_UNROLL for (int j = 0; j < Tile::kColumnsAThread; ++j) sum[i][j] = 0;
    }
  }
  __device__ inline float value(int i, int j) const { return static_cast<float>(sum[i][j]); }
  /// Part sums of whole numbers below 2²⁴ are exact.
  __device__ inline void take(Sums<Tile>& part) {
    PLUMBLINE_UNROLL for (int i = 0; i < Tile::kRowsAThread; ++i) {
      PLUMBLINE_UNROLL for (int j = 0; j < Tile::kColumnsAThread; ++j) {
        sum[i][j] += static_cast<std::int32_t>(part.sum[i][j].sum());
      }
    }
    part.clear();
  }
};

/// Scale of a row times scale of a channel.
template <Scales kScales>
__device__ inline float scale_of(const GemmArgs& g, std::int32_t expert, std::int32_t row,
                                 std::int32_t column) {
  if constexpr (kScales != Scales::kChannel) {
    return 1.0F;
  } else {
    const std::int32_t a_rows = (g.rows + g.a_divisor - 1) / g.a_divisor;
    const std::int32_t a_row = (row / g.a_divisor + g.a_scale_shift) % a_rows;
    const std::int32_t channel = (column + g.b_scale_shift) % g.n;
    return g.a_scale[a_row] * g.b_scale[std::size_t(expert) * g.n + channel];
  }
}

template <class Tile, Scales kScales, class Total>
__device__ inline void store_rows(const GemmArgs& g, const TilePlace& at, const Total& total) {
  PLUMBLINE_UNROLL for (int i = 0; i < Tile::kRowsAThread; ++i) {
    const std::int32_t row = at.rows[at.first_row + i];
    PLUMBLINE_UNROLL for (int j = 0; j < Tile::kColumnsAThread; ++j) {
      const std::int32_t column = at.column(j);
      if (row >= g.rows || column >= g.n) continue;
      float value = total.value(i, j) * scale_of<kScales>(g, at.expert, row, column);
      if (g.bias) value += to_float(g.bias[std::size_t(at.expert) * g.n + column]);
      for (int p = 0; p < g.row_weight_power; ++p) value *= g.row_weight[row];
      const std::size_t place = std::size_t(row) * g.n + column;
      if (g.sums) {
        g.sums[place] = value;
      } else {
        g.out[place] = from_float<Bf16>(value, g.rounding);
      }
    }
  }
}

/// Elements along k after which part sums of products of bytes are folded: 1024 · 128² = 2²⁴.
constexpr std::int32_t kExactDepth = 1024;

/// Keeps the part sums of a product where they belong after a step that ends at `next`.
template <class T, class Tile, Scales kScales>
struct Totals {
  Sums<Tile> total;
  __device__ inline void clear() { total.clear(); }
  __device__ inline void fold(const GemmArgs& g, const TilePlace& at, std::int32_t next,
                              Sums<Tile>& part) {
    if (kScales == Scales::kBlock && (next % kScaleBlock == 0 || next >= g.k_end)) {
      fold_scaled<Tile>(g, at, (next - 1) / kScaleBlock, part, total);
    }
  }
  __device__ inline void store(const GemmArgs& g, const TilePlace& at, const Sums<Tile>& part) {
    store_rows<Tile, kScales>(g, at, kScales == Scales::kBlock ? total : part);
  }
};

template <class Tile, Scales kScales>
struct Totals<I8, Tile, kScales> {
  Counts<Tile> total;
  __device__ inline void clear() { total.clear(); }
  __device__ inline void fold(const GemmArgs& g, const TilePlace&, std::int32_t next,
                              Sums<Tile>& part) {
    if (next % kExactDepth == 0 || next >= g.k_end) total.take(part);
  }
  __device__ inline void store(const GemmArgs& g, const TilePlace& at, const Sums<Tile>&) {
    store_rows<Tile, kScales>(g, at, total);
  }
};

template <class T, class Tile, Scales kScales>
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
  Totals<T, Tile, kScales> totals;
  part.clear();
  totals.clear();
  for (std::int32_t k0 = 0; k0 < g.k_end; k0 += Tile::kDepth) {
    load_rows<Tile, Tile::kRows>(
        a_tile, GatheredRowsOf<T, GemmArgs>{static_cast<const T*>(g.a), rows, g}, k0, g.k_end);
    load_rows<Tile, Tile::kColumns>(b_tile, AdjacentRows<T>{b, at.tile_column, g.n, g.k}, k0,
                                    g.k_end);
    __syncthreads();
    accumulate<Tile>(a_tile, b_tile, at, depth_at<Tile>(k0, g.k_end), part);
    totals.fold(g, at, k0 + Tile::kDepth, part);
    __syncthreads();
  }
  totals.store(g, at, part);
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

template <class T, Scales kScales>
void launch_typed_gemm(const GemmArgs& args, hipStream_t stream) {
  hipLaunchKernelGGL(HIP_KERNEL_NAME(expert_gemm<T, ExpertTile, kScales>),
                     dim3(args.column_tiles, args.row_tiles), dim3(ExpertTile::kThreads), 0, stream,
                     args);
}

}  // namespace

std::int32_t gemm_column_tiles(std::int32_t n) {
  return (n + ExpertTile::kColumns - 1) / ExpertTile::kColumns;
}

void launch_expert_gemm(GemmInput input, const GemmArgs& args, hipStream_t stream) {
  if (args.column_tiles == 0 || args.row_tiles == 0) return;
  switch (input) {
    case GemmInput::kBf16:
      return launch_typed_gemm<Bf16, Scales::kNone>(args, stream);
    case GemmInput::kE4m3:
      return launch_typed_gemm<E4m3, Scales::kBlock>(args, stream);
    case GemmInput::kE4m3Channel:
      return launch_typed_gemm<E4m3, Scales::kChannel>(args, stream);
    case GemmInput::kI8Channel:
      return launch_typed_gemm<I8, Scales::kChannel>(args, stream);
  }
}

void launch_float_gemm(const FloatGemmArgs& args, hipStream_t stream) {
  const dim3 grid((args.n + ExpertTile::kColumns - 1) / ExpertTile::kColumns,
                  (args.m + ExpertTile::kRows - 1) / ExpertTile::kRows);
  hipLaunchKernelGGL(HIP_KERNEL_NAME(float_gemm<ExpertTile>), grid, dim3(ExpertTile::kThreads), 0,
                     stream, args);
}

}  // namespace plumbline::device
