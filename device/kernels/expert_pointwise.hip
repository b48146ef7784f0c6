#include "device/kernels/activate.h"
#include "device/kernels/expert_gemm.h"
#include "device/kernels/experts.h"
#include "device/kernels/portable.h"

namespace plumbline::device {
namespace {

constexpr int kThreads = 64;
/// Elements of a row that one thread computes.
constexpr int kChunk = 64;
constexpr int kReduceChunk = 16;

__host__ __device__ inline std::int32_t chunks_of(std::int32_t columns, std::int32_t chunk) {
  return (columns + chunk - 1) / chunk;
}

/// Which part of which row a thread computes; row ≥ rows: none.
struct Part {
  std::int32_t row;
  std::int32_t chunk;
  std::int32_t first;
  std::int32_t end;
};

__device__ inline Part part_of(std::int32_t columns, std::int32_t size) {
  const std::int64_t index = std::int64_t(blockIdx.x) * kThreads + threadIdx.x;
  const std::int32_t chunks = chunks_of(columns, size);
  const auto chunk = static_cast<std::int32_t>(index % chunks);
  const std::int32_t first = chunk * size;
  const std::int32_t end = first + size < columns ? first + size : columns;
  return {static_cast<std::int32_t>(index / chunks), chunk, first, end};
}

dim3 grid_of(std::int32_t rows, std::int32_t columns, std::int32_t chunk) {
  const std::int64_t threads = std::int64_t(rows) * chunks_of(columns, chunk);
  return dim3(static_cast<std::uint32_t>((threads + kThreads - 1) / kThreads));
}

__global__ void __launch_bounds__(kThreads) apply_activation(ActivationArgs a) {
  const Part part = part_of(a.columns, kChunk);
  if (part.row >= a.rows) return;
  const Bf16* in = a.in + std::size_t(part.row) * a.in_columns;
  Bf16* out = a.out + std::size_t(part.row) * a.columns;
  for (std::int32_t c = part.first; c < part.end; ++c) {
    const float gate = to_float(in[a.gate_offset + c]);
    const float up = a.kind == GateKind::kRelu2 ? 0.0F : to_float(in[a.up_offset + c]);
    out[c] = from_float<Bf16>(activate(gate_of(a), gate, up), a.rounding);
  }
}

__global__ void __launch_bounds__(kThreads) quantise_groups(QuantiseArgs a) {
  const Part part = part_of(a.columns, kScaleBlock);
  if (part.row >= a.rows) return;
  const Bf16* in = a.in + std::size_t(part.row) * a.columns;
  E4m3* out = a.out + std::size_t(part.row) * a.columns;
  float largest = 1e-10F;
  for (std::int32_t c = part.first; c < part.end; ++c) {
    const float x = to_float(in[c]);
    const float absolute = x < 0.0F ? -x : x;
    largest = absolute > largest ? absolute : largest;
  }
  const float scale = largest / 448.0F;
  a.scale[std::size_t(part.row) * chunks_of(a.columns, kScaleBlock) + part.chunk] = scale;
  for (std::int32_t c = part.first; c < part.end; ++c) {
    out[c] = from_float<E4m3>(to_float(in[c]) / scale);
  }
}

/// sum[c] += weight · values[c] for the first `count` columns; constant trip count, so that the
/// sums stay in registers.
template <class T>
__device__ inline void add_scaled(float (&sum)[kReduceChunk], const T* values, float weight,
                                  std::int32_t count) {
  PLUMBLINE_UNROLL for (int c = 0; c < kReduceChunk; ++c) {
    if (c < count) sum[c] += to_float(values[c]) * weight;
  }
}

__global__ void __launch_bounds__(kThreads) reduce_slots(ReduceArgs a) {
  const Part part = part_of(a.columns, kReduceChunk);
  if (part.row >= a.tokens) return;
  float sum[kReduceChunk];
  PLUMBLINE_UNROLL for (int c = 0; c < kReduceChunk; ++c) sum[c] = 0.0F;
  const std::size_t token = part.row;
  const std::int32_t count = part.end - part.first;
  for (std::int32_t j = 0; j < a.k; ++j) {
    const std::size_t slot = token * a.k + j;
    const std::int32_t id = a.ids[slot];
    if (id < 0 || id >= a.experts + a.identities) continue;
    if (id < a.experts) {
      add_scaled(sum, a.y + slot * a.columns + part.first, 1.0F, count);
    } else {
      add_scaled(sum, a.x + token * a.columns + part.first, a.weights[slot], count);
    }
  }
  Bf16* out = a.out + token * a.columns + part.first;
  PLUMBLINE_UNROLL for (int c = 0; c < kReduceChunk; ++c) {
    float value = sum[c];
    for (int p = 0; p < a.scale_power; ++p) value *= a.scale;
    if (c < count) out[c] = from_float<Bf16>(value, a.rounding);
  }
}

__global__ void __launch_bounds__(kThreads) combine_rows(CombineArgs a) {
  const Part part = part_of(a.columns, kReduceChunk);
  if (part.row >= a.tokens) return;
  float sum[kReduceChunk];
  PLUMBLINE_UNROLL for (int c = 0; c < kReduceChunk; ++c) sum[c] = 0.0F;
  const std::size_t token = part.row;
  const std::int32_t count = part.end - part.first;
  for (std::int32_t j = 0; j < a.k; ++j) {
    const std::size_t slot = token * a.k + j;
    const std::int32_t id = a.ids[slot];
    if (id < 0 || id >= a.experts + a.identities) continue;
    float weight = 1.0F;
    for (int p = 0; p < a.weight_power; ++p) weight *= a.weights[slot];
    if (id < a.experts) {
      const std::size_t row = a.row ? a.row[slot] : slot;
      add_scaled(sum, a.y + row * a.columns + part.first, weight, count);
    } else {
      add_scaled(sum, a.x + token * a.columns + part.first, weight, count);
    }
  }
  Bf16* out = a.out + token * a.columns + part.first;
  PLUMBLINE_UNROLL for (int c = 0; c < kReduceChunk; ++c) {
    if (c < count) out[c] = from_float<Bf16>(sum[c] * a.scale);
  }
}

}  // namespace

void launch_activation(const ActivationArgs& args, hipStream_t stream) {
  PLUMBLINE_LAUNCH_NO_SYNC(apply_activation, grid_of(args.rows, args.columns, kChunk),
                           dim3(kThreads), 0, stream, args);
}

void launch_quantise(const QuantiseArgs& args, hipStream_t stream) {
  PLUMBLINE_LAUNCH_NO_SYNC(quantise_groups, grid_of(args.rows, args.columns, kScaleBlock),
                           dim3(kThreads), 0, stream, args);
}

void launch_combine(const CombineArgs& args, hipStream_t stream) {
  PLUMBLINE_LAUNCH_NO_SYNC(combine_rows, grid_of(args.tokens, args.columns, kReduceChunk),
                           dim3(kThreads), 0, stream, args);
}

void launch_reduce(const ReduceArgs& args, hipStream_t stream) {
  PLUMBLINE_LAUNCH_NO_SYNC(reduce_slots, grid_of(args.tokens, args.columns, kReduceChunk),
                           dim3(kThreads), 0, stream, args);
}

}  // namespace plumbline::device
