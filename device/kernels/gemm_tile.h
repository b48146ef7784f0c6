#pragma once
#include <cstddef>
#include <cstdint>

#include "device/kernels/load_vector.h"
#include "device/kernels/number.h"
#include "device/kernels/portable.h"

/// The tile of a product a · bᵀ whose operands both lie along k. A thread keeps a small square of
/// outputs, each as a short vector of partial sums along k, so that no operand is transposed and
/// the inner loop is SIMD on the CPU.
namespace plumbline::device {

/// Shape of a tile: a block computes Rows × Columns outputs, Depth elements of k at a time; a
/// thread computes RowsAThread × ColumnsAThread of them with vectors of Lanes floats. Pad floats
/// follow each row in shared memory: other banks on a GPU, other cache sets on the CPU.
template <int Rows, int Columns, int Depth, int RowsAThread, int ColumnsAThread, int Lanes, int Pad>
struct TileShape {
  static constexpr int kRows = Rows;
  static constexpr int kColumns = Columns;
  static constexpr int kDepth = Depth;
  static constexpr int kRowsAThread = RowsAThread;
  static constexpr int kColumnsAThread = ColumnsAThread;
  static constexpr int kLanes = Lanes;
  static constexpr int kStride = Depth + Pad;
  static constexpr int kThreadColumns = Columns / ColumnsAThread;
  static constexpr int kThreads = (Rows / RowsAThread) * kThreadColumns;
  static_assert(Depth % Lanes == 0);
  static_assert((Rows + Columns) * kStride * sizeof(float) <= 48 * 1024);
};

#if defined(PLUMBLINE_TARGET_HOST)
// Few threads with much work each: between two barriers every sum goes through memory.
using ExpertTile = TileShape<16, 64, 128, 16, 4, 16, 16>;
#else
using ExpertTile = TileShape<16, 64, 32, 2, 4, 4, 4>;
#endif

/// Where a thread works inside the whole product.
struct TilePlace {
  const std::int32_t* rows = nullptr;  ///< row of `out` of each row of the tile
  std::int32_t expert = 0;
  std::int32_t tile_column = 0;   ///< first column of the tile
  std::int32_t first_row = 0;     ///< first row of this thread, counted in the tile
  std::int32_t first_column = 0;  ///< first column of this thread, counted in the tile
  std::int32_t column_step = 1;

  /// Column of the whole product of this thread's j-th column. The columns of a thread are spread,
  /// so that neighbouring threads read neighbouring rows of shared memory.
  __device__ inline std::int32_t column(int j) const {
    return tile_column + first_column + j * column_step;
  }
};

template <class Tile>
__device__ inline TilePlace place_of(const std::int32_t* rows, std::int32_t expert) {
  const std::int32_t thread = threadIdx.x;
  return TilePlace{rows,
                   expert,
                   static_cast<std::int32_t>(blockIdx.x) * Tile::kColumns,
                   thread / Tile::kThreadColumns * Tile::kRowsAThread,
                   thread % Tile::kThreadColumns,
                   Tile::kThreadColumns};
}

/// The partial sums of one thread.
template <class Tile>
struct Sums {
  hx::vecf<Tile::kLanes> sum[Tile::kRowsAThread][Tile::kColumnsAThread];

  __device__ inline void clear() {
    PLUMBLINE_UNROLL for (int i = 0; i < Tile::kRowsAThread; ++i) {
      PLUMBLINE_UNROLL for (int j = 0; j < Tile::kColumnsAThread; ++j) {
        sum[i][j] = hx::vecf<Tile::kLanes>::splat(0.0F);
      }
    }
  }
  __device__ inline float value(int i, int j) const { return sum[i][j].sum(); }
};

/// Rows first, first + 1, … of a matrix [count, k].
template <class T>
struct AdjacentRows {
  const T* data;
  std::int32_t first;
  std::int32_t count;
  std::int32_t k;

  /// Null beyond the last row.
  __device__ inline const T* row(int r) const {
    return first + r < count ? data + std::size_t(first + r) * k : nullptr;
  }
};

/// Rows of `a` that a list of output rows names; the list is padded with `args.rows`.
template <class T, class Args>
struct GatheredRowsOf {
  const T* data;
  const std::int32_t* list;
  const Args& args;

  __device__ inline const T* row(int r) const {
    return list[r] < args.rows ? data + std::size_t(list[r] / args.a_divisor) * args.k : nullptr;
  }
};

/// Elements along k that a step at k0 works on: Depth, at the end of k whole vectors.
template <class Tile>
__device__ inline std::int32_t depth_at(std::int32_t k0, std::int32_t k_end) {
  const std::int32_t left = (k_end - k0 + Tile::kLanes - 1) / Tile::kLanes * Tile::kLanes;
  return left < Tile::kDepth ? left : Tile::kDepth;
}

/// Copies Count rows, columns [k0, k0 + depth), as floats into shared memory; 0 beyond k_end and
/// for rows that are not there. A thread copies whole vectors.
template <class Tile, int Count, class Source>
__device__ inline void load_rows(float* tile, const Source& source, std::int32_t k0,
                                 std::int32_t k_end) {
  constexpr int kChunks = Tile::kDepth / Tile::kLanes;
  const std::int32_t depth = depth_at<Tile>(k0, k_end);
  for (int chunk = threadIdx.x; chunk < Count * kChunks; chunk += Tile::kThreads) {
    const std::int32_t c0 = chunk % kChunks * Tile::kLanes;
    if (c0 >= depth) continue;
    const int r = chunk / kChunks;
    const auto* from = source.row(r);
    hx::vecf<Tile::kLanes> values = hx::vecf<Tile::kLanes>::splat(0.0F);
    if (from) values = load_vector<Tile::kLanes>(from + k0 + c0, k_end - k0 - c0);
    values.store(tile + r * Tile::kStride + c0);
  }
}

/// As many rows of a thread as fit into registers with all of its columns.
template <class Tile>
inline constexpr int kRowsAtOnce = Tile::kRowsAThread < 4 ? Tile::kRowsAThread : 4;

/// part[i, j] += a[first_row + i, :] · b[column j, :] over `depth` columns in shared memory.
template <class Tile>
__device__ inline void accumulate(const float* a_tile, const float* b_tile, const TilePlace& at,
                                  std::int32_t depth, Sums<Tile>& part) {
  using V = hx::vecf<Tile::kLanes>;
  constexpr int kRows = kRowsAtOnce<Tile>;
  constexpr int kColumns = Tile::kColumnsAThread;
  const float* b_row = b_tile + at.first_column * Tile::kStride;
  PLUMBLINE_UNROLL for (int i0 = 0; i0 < Tile::kRowsAThread; i0 += kRows) {
    const float* a_row = a_tile + (at.first_row + i0) * Tile::kStride;
    V sums[kRows][kColumns];
    PLUMBLINE_UNROLL for (int i = 0; i < kRows; ++i) {
      PLUMBLINE_UNROLL for (int j = 0; j < kColumns; ++j) sums[i][j] = part.sum[i0 + i][j];
    }
    for (std::int32_t c = 0; c < depth; c += Tile::kLanes) {
      V b[kColumns];
      PLUMBLINE_UNROLL for (int j = 0; j < kColumns; ++j) {
        b[j] = V::load(b_row + j * Tile::kThreadColumns * Tile::kStride + c);
      }
      PLUMBLINE_UNROLL for (int i = 0; i < kRows; ++i) {
        const V a = V::load(a_row + i * Tile::kStride + c);
        PLUMBLINE_UNROLL for (int j = 0; j < kColumns; ++j) sums[i][j].fma(a, b[j]);
      }
    }
    PLUMBLINE_UNROLL for (int i = 0; i < kRows; ++i) {
      PLUMBLINE_UNROLL for (int j = 0; j < kColumns; ++j) part.sum[i0 + i][j] = sums[i][j];
    }
  }
}

}  // namespace plumbline::device
