#include "device/moe/experts.h"

#include <algorithm>
#include <string>
#include <vector>

#include "device/abi/arguments.h"
#include "device/kernels/buffer.h"

namespace plumbline::device {
namespace {

/// Most blocks of a launch along y.
constexpr std::int64_t kLargestGrid = 65535;

std::int64_t ceil_div(std::int64_t count, std::int64_t part) { return (count + part - 1) / part; }

/// Tiles of sorted rows at most: each tile in use holds a slot at least, and each expert wastes one
/// tile at most.
std::int64_t row_tiles_of(const ExpertsProblem& p) {
  const std::int64_t rows = p.t * p.k;
  return std::min(rows, ceil_div(rows, kRowTile) + p.e);
}

std::vector<Wanted> wanted_inputs(const ExpertsProblem& p) {
  const bool fp8 = p.quant == "fp8_block128";
  const DType weight = fp8 ? DType::kE4m3fn : p.io;
  const std::int64_t rows = p.w13_rows();
  std::vector<Wanted> wanted = {{"x", p.io, {p.t, p.h}},
                                {"w13", weight, {p.e, rows, p.h}},
                                {"w2", weight, {p.e, p.h, p.i}},
                                {"topk_ids", DType::kI32, {p.t, p.k}},
                                {"topk_weights", DType::kF32, {p.t, p.k}}};
  if (p.has_bias) {
    wanted.push_back({"w13_bias", p.io, {p.e, rows}});
    wanted.push_back({"w2_bias", p.io, {p.e, p.h}});
  }
  if (fp8) {
    const std::int64_t h_blocks = ceil_div(p.h, kScaleBlock);
    const std::int64_t i_blocks = ceil_div(p.i, kScaleBlock);
    wanted.push_back({"w13_scale", DType::kF32, {p.e, ceil_div(rows, kScaleBlock), h_blocks}});
    wanted.push_back({"w2_scale", DType::kF32, {p.e, h_blocks, i_blocks}});
  }
  return wanted;
}

std::optional<Refusal> refuse_path(const ExpertsProblem& p) {
  if (p.backend != "triton") {
    return Refusal{Status::kUnsupported, "backend is triton", "backend = " + p.backend};
  }
  if (p.quant != "bf16" && p.quant != "fp8_block128") {
    return Refusal{Status::kUnsupported, "quant is bf16 or fp8_block128", "quant = " + p.quant};
  }
  if (p.ownership != "owner") {
    return Refusal{Status::kUnsupported, "ownership is owner", "ownership = " + p.ownership};
  }
  if (p.io != DType::kBf16) {
    return Refusal{Status::kDtype, "io is bf16", "io = " + std::string(name_of(p.io))};
  }
  if (row_tiles_of(p) > kLargestGrid) {
    return Refusal{Status::kCapacity, "row tiles <= " + std::to_string(kLargestGrid),
                   "t * k = " + std::to_string(p.t * p.k) + ", e = " + std::to_string(p.e)};
  }
  return std::nullopt;
}

std::optional<Refusal> refuse_ids(const ExpertsProblem& p, const TensorViews& inputs) {
  for (const std::int32_t id : elements_of<std::int32_t>(inputs, "topk_ids")) {
    if (id >= -1 && id < p.e + p.z) continue;
    return Refusal{Status::kUnsupported, "topk_ids in [-1, e + z)",
                   "topk_ids has " + std::to_string(id) + ", e + z = " + std::to_string(p.e + p.z)};
  }
  return std::nullopt;
}

GemmArgs plan_gemm(std::int64_t rows, std::int64_t n, std::int64_t k, const ExpertsProblem& p) {
  GemmArgs args;
  args.rows = static_cast<std::int32_t>(rows);
  args.n = static_cast<std::int32_t>(n);
  args.k = static_cast<std::int32_t>(k);
  args.k_end = args.k;
  args.b_scale_last = static_cast<std::int32_t>(ceil_div(k, kScaleBlock)) - 1;
  args.column_tiles = gemm_column_tiles(args.n);
  args.row_tiles = static_cast<std::int32_t>(row_tiles_of(p));
  return args;
}

ActivationArgs plan_activation(const ExpertsProblem& p) {
  ActivationArgs args;
  args.rows = static_cast<std::int32_t>(p.t * p.k);
  args.columns = static_cast<std::int32_t>(p.i);
  args.in_columns = static_cast<std::int32_t>(p.w13_rows());
  args.up_offset = p.activation.gated() ? args.columns : 0;
  args.alpha = static_cast<float>(p.activation.alpha);
  args.beta = static_cast<float>(p.activation.beta);
  args.limit = static_cast<float>(p.activation.limit);
  switch (p.activation.kind) {
    case Activation::Kind::kSilu:
      args.kind = GateKind::kSilu;
      break;
    case Activation::Kind::kSwiglu:
      args.kind = GateKind::kSwiglu;
      break;
    case Activation::Kind::kRelu2:
      args.kind = GateKind::kRelu2;
      break;
  }
  return args;
}

/// The device memory of one call.
struct Memory {
  Memory(const ExpertsPlan& plan, const TensorViews& inputs)
      : x(inputs, "x", stream),
        w13(inputs, "w13", stream),
        w2(inputs, "w2", stream),
        w13_bias(inputs, "w13_bias", stream),
        w2_bias(inputs, "w2_bias", stream),
        w13_scale(inputs, "w13_scale", stream),
        w2_scale(inputs, "w2_scale", stream),
        ids(inputs, "topk_ids", stream),
        weights(inputs, "topk_weights", stream),
        sorted_rows(4 * std::int64_t{plan.gemm1.row_tiles} * kRowTile),
        tile_expert(4 * std::int64_t{plan.gemm1.row_tiles}),
        tile_count(4),
        first_tile(4 * plan.problem.e),
        gate_up(2 * std::int64_t{plan.gemm1.rows} * plan.gemm1.n),
        activated(2 * std::int64_t{plan.gemm2.rows} * plan.gemm2.k),
        weighted(2 * std::int64_t{plan.gemm2.rows} * plan.gemm2.n),
        out(2 * plan.problem.t * plan.problem.h) {}

  Stream stream;
  Input x, w13, w2, w13_bias, w2_bias, w13_scale, w2_scale, ids, weights;
  Buffer sorted_rows, tile_expert, tile_count, first_tile;
  Buffer gate_up, activated, weighted, out;
};

/// A matrix in e4m3 with its scales.
struct Quantised {
  Quantised(std::int64_t rows, std::int64_t columns)
      : codes(rows * columns), scale(4 * rows * ceil_div(columns, kScaleBlock)) {}

  void fill(const Bf16* in, std::int64_t rows, std::int64_t columns, const Stream& stream) const {
    QuantiseArgs args;
    args.in = in;
    args.out = codes.as<E4m3>();
    args.scale = scale.as<float>();
    args.rows = static_cast<std::int32_t>(rows);
    args.columns = static_cast<std::int32_t>(columns);
    launch_quantise(args, stream.get());
  }

  Buffer codes, scale;
};

void launch_align(const ExpertsPlan& plan, const Memory& memory) {
  AlignArgs args;
  args.ids = memory.ids.as<std::int32_t>();
  args.sorted_rows = memory.sorted_rows.as<std::int32_t>();
  args.tile_expert = memory.tile_expert.as<std::int32_t>();
  args.tile_count = memory.tile_count.as<std::int32_t>();
  args.first_tile = memory.first_tile.as<std::int32_t>();
  args.slots = plan.gemm1.rows;
  args.experts = static_cast<std::int32_t>(plan.problem.e);
  launch_align(args, memory.stream.get());
}

void point_to_sorted_rows(GemmArgs& args, const Memory& memory) {
  args.sorted_rows = memory.sorted_rows.as<std::int32_t>();
  args.tile_expert = memory.tile_expert.as<std::int32_t>();
  args.tile_count = memory.tile_count.as<std::int32_t>();
  args.row_weight = memory.weights.as<float>();
}

/// One product with its input quantised first where the plan says so.
void launch_product(const ExpertsPlan& plan, GemmArgs args, const Bf16* in, const Memory& memory) {
  point_to_sorted_rows(args, memory);
  args.a = in;
  if (!plan.quantised) return launch_expert_gemm(GemmInput::kBf16, args, memory.stream.get());
  const std::int64_t rows = ceil_div(args.rows, args.a_divisor);
  const Quantised quantised(rows, args.k);
  quantised.fill(in, rows, args.k, memory.stream);
  args.a = quantised.codes.as<E4m3>();
  args.a_scale = quantised.scale.as<float>();
  launch_expert_gemm(GemmInput::kE4m3, args, memory.stream.get());
  memory.stream.wait();
}

void launch_gate_up(const ExpertsPlan& plan, const Memory& memory) {
  GemmArgs args = plan.gemm1;
  args.b = memory.w13.as<void>();
  args.b_scale = memory.w13_scale.as<float>();
  args.bias = memory.w13_bias.as<Bf16>();
  args.out = memory.gate_up.as<Bf16>();
  launch_product(plan, args, memory.x.as<Bf16>(), memory);
}

void launch_activation(const ExpertsPlan& plan, const Memory& memory) {
  ActivationArgs args = plan.activation;
  args.in = memory.gate_up.as<Bf16>();
  args.out = memory.activated.as<Bf16>();
  launch_activation(args, memory.stream.get());
}

void launch_down(const ExpertsPlan& plan, const Memory& memory) {
  GemmArgs args = plan.gemm2;
  args.b = memory.w2.as<void>();
  args.b_scale = memory.w2_scale.as<float>();
  args.bias = memory.w2_bias.as<Bf16>();
  args.out = memory.weighted.as<Bf16>();
  launch_product(plan, args, memory.activated.as<Bf16>(), memory);
}

void launch_reduce(const ExpertsPlan& plan, const Memory& memory) {
  ReduceArgs args = plan.reduce;
  args.y = memory.weighted.as<Bf16>();
  args.x = memory.x.as<Bf16>();
  args.ids = memory.ids.as<std::int32_t>();
  args.weights = memory.weights.as<float>();
  args.out = memory.out.as<Bf16>();
  launch_reduce(args, memory.stream.get());
}

}  // namespace

ExpertsPlan plan_experts(const ExpertsProblem& problem) {
  const ExpertsProblem& p = problem;
  ExpertsPlan plan;
  plan.problem = p;
  plan.quantised = p.quant == "fp8_block128";
  plan.gemm1 = plan_gemm(p.t * p.k, p.w13_rows(), p.h, p);
  plan.gemm1.a_divisor = static_cast<std::int32_t>(p.k);
  plan.activation = plan_activation(p);
  plan.gemm2 = plan_gemm(p.t * p.k, p.h, p.i, p);
  plan.gemm2.row_weight_power = 1;
  plan.reduce.tokens = static_cast<std::int32_t>(p.t);
  plan.reduce.columns = static_cast<std::int32_t>(p.h);
  plan.reduce.k = static_cast<std::int32_t>(p.k);
  plan.reduce.experts = static_cast<std::int32_t>(p.e);
  plan.reduce.identities = static_cast<std::int32_t>(p.z);
  plan.reduce.scale = static_cast<float>(p.scale);
  return plan;
}

std::optional<Refusal> refuse_experts(const ExpertsProblem& problem, const TensorViews& inputs) {
  if (auto refusal = refuse_path(problem)) return refusal;
  if (auto refusal = check_tensors(wanted_inputs(problem), inputs)) return refusal;
  return refuse_ids(problem, inputs);
}

void run_experts(const ExpertsPlan& plan, const TensorViews& inputs, std::byte* out) {
  if (plan.problem.t == 0) return;
  const Memory memory(plan, inputs);
  launch_align(plan, memory);
  launch_gate_up(plan, memory);
  launch_activation(plan, memory);
  launch_down(plan, memory);
  launch_reduce(plan, memory);
  memory.stream.wait();
  memory.out.download(out, memory.stream);
  if (plan.overwrite_x) memory.out.download(inputs.find("x")->second.data, memory.stream);
  memory.stream.wait();
}

}  // namespace plumbline::device
