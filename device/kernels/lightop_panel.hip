#include <cstddef>

#include "device/kernels/activate.h"
#include "device/kernels/lightop.h"
#include "device/kernels/load_vector.h"
#include "device/kernels/portable.h"

namespace plumbline::device {
namespace {

/// A block computes kPanelTile rows of tokens times Panels panels, Depth elements of k at a time; a
/// thread Rows rows times Lanes neighbouring outputs of Parts panels (gate and up, or one).
template <int Panels, int Depth, int Rows, int Lanes, int Parts>
struct PanelShape {
  static constexpr int kPanels = Panels;
  static constexpr int kDepth = Depth;
  static constexpr int kRows = Rows;
  static constexpr int kLanes = Lanes;
  static constexpr int kParts = Parts;
  static constexpr int kColumns = Panels * kPanelRows;
  static constexpr int kOutputs = kColumns / Parts;
  static constexpr int kThreadColumns = kOutputs / Lanes;
  static constexpr int kThreads = kPanelTile / Rows * kThreadColumns;
  static constexpr int kStride = Depth + 4;
  /// As many rows as fit into registers.
  static constexpr int kRowsAtOnce = Rows < 8 ? Rows : 8;
  static_assert((kPanelTile * kStride + Depth * kColumns) * sizeof(float) <= 48 * 1024);
};

#if defined(PLUMBLINE_TARGET_HOST)
template <int Parts>
using PanelTile = PanelShape<8, 64, 16, 16, Parts>;
#else
template <int Parts>
using PanelTile = PanelShape<4, 32, 2, 4, Parts>;
#endif

/// Where a thread works.
struct Place {
  std::int32_t expert;
  std::int32_t first_row;    ///< of the tile, among all rows
  std::int32_t rows;         ///< of the tile
  std::int32_t row;          ///< first of this thread, in the tile
  std::int32_t column;       ///< first of this thread, in the block's columns of part 0
  std::int32_t output;       ///< first of this thread, among all outputs
  std::int32_t first_panel;  ///< of the block
};

template <class Shape>
__device__ inline Place place_in(const PanelArgs& a, std::int32_t tile) {
  const std::int32_t thread = threadIdx.x;
  const std::int32_t lane = thread % Shape::kThreadColumns * Shape::kLanes;
  const std::int32_t group = lane / kPanelRows;
  Place at;
  at.expert = a.tile_expert[tile];
  at.first_row = a.tile_first[tile];
  at.rows = a.tile_rows[tile];
  at.row = thread / Shape::kThreadColumns * Shape::kRows;
  at.column = group * Shape::kParts * kPanelRows + lane % kPanelRows;
  at.output = static_cast<std::int32_t>(blockIdx.x) * Shape::kOutputs + lane;
  at.first_panel = static_cast<std::int32_t>(blockIdx.x) * Shape::kPanels;
  return at;
}

template <class T, class Shape>
__device__ inline void load_tokens(const PanelArgs& a, const Place& at, std::int32_t k0,
                                   float* tile) {
  constexpr int kRun = 16;
  constexpr int kRuns = Shape::kDepth / kRun;
  for (int run = threadIdx.x; run < kPanelTile * kRuns; run += Shape::kThreads) {
    const std::int32_t r = run / kRuns;
    const std::int32_t c = run % kRuns * kRun;
    const std::int32_t left = r < at.rows ? a.k - k0 - c : 0;
    hx::vecf<kRun> values = hx::vecf<kRun>::splat(0.0F);
    if (left > 0) {
      const T* from = static_cast<const T*>(a.a) + std::size_t(at.first_row + r) * a.k + k0 + c;
      values = load_vector<kRun>(from, left);
    }
    values.store(tile + r * Shape::kStride + c);
  }
}

/// 16 rows of one k, which are neighbours.
template <class T, class Shape>
__device__ inline void load_columns(const T* panel, std::int32_t column, std::int32_t k0,
                                    std::int32_t c, float* tile) {
  load_vector<kPanelRows>(panel + std::size_t(k0 + c) * kPanelRows)
      .store(tile + c * Shape::kColumns + column);
}

/// 16 rows of k and k + 1 (k even).
template <class T, class Shape>
__device__ inline void load_pairs(const T* panel, std::int32_t column, std::int32_t k0,
                                  std::int32_t c, float* tile) {
  const T* from = panel + std::size_t(k0 + c) * kPanelRows;
  float* to = tile + c * Shape::kColumns + column;
  PLUMBLINE_UNROLL for (int r = 0; r < kPanelRows; ++r) {
    to[r] = to_float(from[2 * r]);
    to[Shape::kColumns + r] = to_float(from[2 * r + 1]);
  }
}

/// 16 neighbouring k of one row.
template <class T, class Shape>
__device__ inline void load_run(const T* panel, std::int32_t column, std::int32_t k, std::int32_t c,
                                float* tile) {
  constexpr std::int32_t kTileDepth = 32;
  const std::int32_t row = column % kPanelRows;
  const T* from = panel + std::size_t(k / kTileDepth) * kTileDepth * kPanelRows + row * kTileDepth +
                  k % kTileDepth;
  float values[16];
  PLUMBLINE_UNROLL for (int i = 0; i < 16; ++i) values[i] = to_float(from[i]);
  PLUMBLINE_UNROLL for (int i = 0; i < 16; ++i) tile[(c + i) * Shape::kColumns + column] =
      values[i];
}

template <class T, class Shape>
__device__ inline void load_panels(const PanelArgs& a, const Place& at, std::int32_t k0,
                                   std::int32_t depth, float* tile) {
  const T* expert =
      static_cast<const T*>(a.b) + std::size_t(at.expert) * a.panels * a.depth * kPanelRows;
  const std::int32_t steps = a.order == PanelOrder::kPairs ? depth / 2 : depth;
  for (std::int32_t step = threadIdx.x; step < Shape::kPanels * steps; step += Shape::kThreads) {
    const std::int32_t p = step / steps;
    const std::int32_t c = step % steps;
    // Blocks at the end have fewer panels; what they read instead is not stored.
    const std::int32_t wanted = at.first_panel + p;
    const std::int32_t panel = wanted < a.panels ? wanted : a.panels - 1;
    const T* from = expert + std::size_t(panel) * a.depth * kPanelRows;
    const std::int32_t column = p * kPanelRows;
    if (a.order == PanelOrder::kColumns) {
      load_columns<T, Shape>(from, column, k0, c, tile);
    } else if (a.order == PanelOrder::kPairs) {
      load_pairs<T, Shape>(from, column, k0, 2 * c, tile);
    } else {
      const std::int32_t run = c / kPanelRows * 16;
      load_run<T, Shape>(from, column + c % kPanelRows, k0 + run, run, tile);
    }
  }
}

/// What a thread sums: floats, which fold into whole numbers where the codes are.
template <class T, class Shape>
struct Sum {
  hx::vecf<Shape::kLanes> part[Shape::kRows][Shape::kParts];

  __device__ inline void clear() {
    PLUMBLINE_UNROLL for (int i = 0; i < Shape::kRows; ++i) {
      PLUMBLINE_UNROLL for (int p = 0; p < Shape::kParts; ++p) {
        part[i][p] = hx::vecf<Shape::kLanes>::splat(0.0F);
      }
    }
  }
  __device__ inline void fold(bool) {}
  __device__ inline void read(int i, int p, float (&values)[Shape::kLanes]) const {
    part[i][p].store(values);
  }
};

template <class Shape>
struct Sum<I8, Shape> {
  hx::vecf<Shape::kLanes> part[Shape::kRows][Shape::kParts];
  std::int32_t whole[Shape::kRows][Shape::kParts][Shape::kLanes];

  __device__ inline void clear() {
    PLUMBLINE_UNROLL for (int i = 0; i < Shape::kRows; ++i) {
      PLUMBLINE_UNROLL for (int p = 0; p < Shape::kParts; ++p) {
        part[i][p] = hx::vecf<Shape::kLanes>::splat(0.0F);
        PLUMBLINE_UNROLL for (int l = 0; l < Shape::kLanes; ++l) whole[i][p][l] = 0;
      }
    }
  }
  /// Sums of 1024 products of bytes stay within 2²⁴ and are exact as floats.
  __device__ inline void fold(bool due) {
    if (!due) return;
    PLUMBLINE_UNROLL for (int i = 0; i < Shape::kRows; ++i) {
      PLUMBLINE_UNROLL for (int p = 0; p < Shape::kParts; ++p) {
        float values[Shape::kLanes];
        part[i][p].store(values);
        PLUMBLINE_UNROLL for (int l = 0; l < Shape::kLanes; ++l) {
          whole[i][p][l] += static_cast<std::int32_t>(values[l]);
        }
        part[i][p] = hx::vecf<Shape::kLanes>::splat(0.0F);
      }
    }
  }
  __device__ inline void read(int i, int p, float (&values)[Shape::kLanes]) const {
    PLUMBLINE_UNROLL for (int l = 0; l < Shape::kLanes; ++l) {
      values[l] = static_cast<float>(whole[i][p][l]);
    }
  }
};

template <class Shape, class Sums>
__device__ inline void add_products(const float* a_tile, const float* b_tile, const Place& at,
                                    std::int32_t depth, Sums& sum) {
  using V = hx::vecf<Shape::kLanes>;
  PLUMBLINE_UNROLL for (int i0 = 0; i0 < Shape::kRows; i0 += Shape::kRowsAtOnce) {
    const float* a_row = a_tile + (at.row + i0) * Shape::kStride;
    V part[Shape::kRowsAtOnce][Shape::kParts];
    PLUMBLINE_UNROLL for (int i = 0; i < Shape::kRowsAtOnce; ++i) {
      PLUMBLINE_UNROLL for (int p = 0; p < Shape::kParts; ++p) part[i][p] = sum.part[i0 + i][p];
    }
    for (std::int32_t c = 0; c < depth; ++c) {
      V b[Shape::kParts];
      PLUMBLINE_UNROLL for (int p = 0; p < Shape::kParts; ++p) {
        b[p] = V::load(b_tile + c * Shape::kColumns + at.column + p * kPanelRows);
      }
      PLUMBLINE_UNROLL for (int i = 0; i < Shape::kRowsAtOnce; ++i) {
        const float a = a_row[i * Shape::kStride + c];
        PLUMBLINE_UNROLL for (int p = 0; p < Shape::kParts; ++p) part[i][p].fma(a, b[p]);
      }
    }
    PLUMBLINE_UNROLL for (int i = 0; i < Shape::kRowsAtOnce; ++i) {
      PLUMBLINE_UNROLL for (int p = 0; p < Shape::kParts; ++p) sum.part[i0 + i][p] = part[i][p];
    }
  }
}

/// Scale of the channel at a column of the block.
__device__ inline float channel_scale(const PanelArgs& a, const Place& at, std::int32_t column) {
  const std::int32_t channels = a.panels * kPanelRows;
  const std::int32_t channel = at.first_panel * kPanelRows + column + a.scale_shift;
  return a.b_scale[std::size_t(at.expert) * channels + channel % channels];
}

template <class Shape, class Sums>
__device__ inline void store_outputs(const PanelArgs& a, const Place& at, const Sums& sum) {
  PLUMBLINE_UNROLL for (int i = 0; i < Shape::kRows; ++i) {
    if (at.row + i >= at.rows) continue;
    const std::size_t row = at.first_row + at.row + i;
    float values[Shape::kParts][Shape::kLanes];
    PLUMBLINE_UNROLL for (int p = 0; p < Shape::kParts; ++p) sum.read(i, p, values[p]);
    PLUMBLINE_UNROLL for (int l = 0; l < Shape::kLanes; ++l) {
      if (at.output + l >= a.n) continue;
      const std::size_t place = row * a.n + at.output + l;
      float value = values[0][l] * a.a_scale[row] * channel_scale(a, at, at.column + l);
      if (!a.activated) {
        a.sums[place] = value;
        continue;
      }
      float up = 0.0F;
      if (Shape::kParts == 2) {
        up = values[Shape::kParts - 1][l] * a.a_scale[row] *
             channel_scale(a, at, at.column + kPanelRows + l);
      }
      a.activated[place] = from_float<Bf16>(activate(a.gate, value, up));
    }
  }
}

template <class T, class Shape>
__global__ void __launch_bounds__(Shape::kThreads) multiply_panels(PanelArgs a) {
  PLUMBLINE_SHARED(float, a_tile, [kPanelTile * Shape::kStride]);
  PLUMBLINE_SHARED(float, b_tile, [Shape::kDepth * Shape::kColumns]);
  const std::int32_t tile = blockIdx.y;
  if (tile >= a.counts[1]) return;
  const Place at = place_in<Shape>(a, tile);
  Sum<T, Shape> sum;
  sum.clear();
  for (std::int32_t k0 = 0; k0 < a.depth; k0 += Shape::kDepth) {
    const std::int32_t left = a.depth - k0;
    const std::int32_t depth = left < Shape::kDepth ? left : Shape::kDepth;
    load_tokens<T, Shape>(a, at, k0, a_tile);
    load_panels<T, Shape>(a, at, k0, depth, b_tile);
    __syncthreads();
    add_products<Shape>(a_tile, b_tile, at, depth, sum);
    sum.fold((k0 + depth) % 1024 == 0 || k0 + depth == a.depth);
    __syncthreads();
  }
  store_outputs<Shape>(a, at, sum);
}

template <class T, int kParts>
void launch_typed(const PanelArgs& args, hipStream_t stream) {
  using Shape = PanelTile<kParts>;
  const dim3 grid((args.n + Shape::kOutputs - 1) / Shape::kOutputs, args.row_tiles);
  hipLaunchKernelGGL(HIP_KERNEL_NAME(multiply_panels<T, Shape>), grid, dim3(Shape::kThreads), 0,
                     stream, args);
}

}  // namespace

void launch_panels(TokenCode code, bool pairs, const PanelArgs& args, hipStream_t stream) {
  if (args.row_tiles == 0) return;
  if (code == TokenCode::kI8) {
    return pairs ? launch_typed<I8, 2>(args, stream) : launch_typed<I8, 1>(args, stream);
  }
  return pairs ? launch_typed<E4m3, 2>(args, stream) : launch_typed<E4m3, 1>(args, stream);
}

}  // namespace plumbline::device
