#include "device/moe/triton.h"

#include <string>

#include "device/faults/fault.h"
#include "device/kernels/buffer.h"
#include "device/moe/experts.h"
#include "device/moe/layer.h"

namespace plumbline::device {
namespace {

/// The device memory of one call.
struct Memory {
  Memory(const ExpertsPlan& plan, const TensorViews& weights_in, const TensorViews& inputs)
      : x(inputs, "x", stream),
        w13(weights_in, "w13", stream),
        w2(weights_in, "w2", stream),
        w13_bias(weights_in, "w13_bias", stream),
        w2_bias(weights_in, "w2_bias", stream),
        w13_scale(weights_in, "w13_scale", stream),
        w2_scale(weights_in, "w2_scale", stream),
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

/// A matrix in one byte an element with its scales.
struct Quantised {
  Quantised(std::int64_t rows, std::int64_t columns)
      : codes(rows * columns), scale(4 * rows * ceil_div(columns, kScaleBlock)) {}

  Buffer codes, scale;
};

/// Groups of kScaleBlock elements share a scale.
void fill_groups(const Quantised& to, const GemmArgs& args, std::int64_t rows, hipStream_t stream) {
  QuantiseArgs quantise;
  quantise.in = static_cast<const Bf16*>(args.a);
  quantise.out = to.codes.as<E4m3>();
  quantise.scale = to.scale.as<float>();
  quantise.rows = static_cast<std::int32_t>(rows);
  quantise.columns = args.k;
  launch_quantise(quantise, stream);
}

/// A row shares a scale.
void fill_rows(const ExpertsPlan& plan, const Quantised& to, const GemmArgs& args,
               std::int64_t rows, hipStream_t stream) {
  TokenQuantiseArgs quantise;
  quantise.in = static_cast<const Bf16*>(args.a);
  quantise.out = to.codes.as<void>();
  quantise.scale = to.scale.as<float>();
  quantise.rows = static_cast<std::int32_t>(rows);
  quantise.columns = args.k;
  quantise.threads = plan.quantise_threads;
  const TokenCode code = plan.input == GemmInput::kI8Channel ? TokenCode::kI8 : TokenCode::kE4m3;
  launch_quantise_tokens(code, quantise, plan.wave, stream);
}

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
  if (plan.input == GemmInput::kBf16) {
    return launch_expert_gemm(plan.input, args, memory.stream.get());
  }
  const std::int64_t rows = ceil_div(args.rows, args.a_divisor);
  const Quantised quantised(rows, args.k);
  if (plan.input == GemmInput::kE4m3) {
    fill_groups(quantised, args, rows, memory.stream.get());
  } else {
    fill_rows(plan, quantised, args, rows, memory.stream.get());
  }
  args.a = quantised.codes.as<void>();
  args.a_scale = quantised.scale.as<float>();
  launch_expert_gemm(plan.input, args, memory.stream.get());
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

GemmInput input_of(const ExpertsProblem& p) {
  if (p.quant == "fp8_block128") return GemmInput::kE4m3;
  if (p.quant == "w8a8_fp8_channel") return GemmInput::kE4m3Channel;
  return p.quant == "w8a8_int8" ? GemmInput::kI8Channel : GemmInput::kBf16;
}

ExpertsPlan plan_experts(const ExpertsProblem& problem, int wave) {
  const ExpertsProblem& p = problem;
  ExpertsPlan plan;
  plan.problem = p;
  plan.input = input_of(p);
  plan.wave = wave;
  plan.quantise_threads = wave;
  plan.gemm1 = plan_gemm(p, p.w13_rows(), p.h);
  plan.gemm1.a_divisor = static_cast<std::int32_t>(p.k);
  plan.activation = plan_activation(p);
  plan.gemm2 = plan_gemm(p, p.h, p.i);
  plan.gemm2.row_weight_power = 1;
  plan.reduce.tokens = static_cast<std::int32_t>(p.t);
  plan.reduce.columns = static_cast<std::int32_t>(p.h);
  plan.reduce.k = static_cast<std::int32_t>(p.k);
  plan.reduce.experts = static_cast<std::int32_t>(p.e);
  plan.reduce.identities = static_cast<std::int32_t>(p.z);
  plan.reduce.scale = static_cast<float>(p.scale);
  return plan;
}

void launch_all(const ExpertCall& call, const ExpertsPlan& plan, const Memory& memory) {
  const ExpertsProblem& p = plan.problem;
  const std::int64_t slots = p.t * p.k;
  launch_align(plan, memory);
  launch_gate_up(plan, memory);
  observe(call, "gate_up", {DType::kBf16, {slots, p.w13_rows()}}, memory.gate_up, memory.stream);
  launch_activation(plan, memory);
  observe(call, "activated", {DType::kBf16, {slots, p.i}}, memory.activated, memory.stream);
  launch_down(plan, memory);
  observe(call, "weighted", {DType::kBf16, {slots, p.h}}, memory.weighted, memory.stream);
  launch_reduce(plan, memory);
}

void run(const ExpertCall& call) {
  ExpertsPlan plan = plan_experts(call.problem, call.wave);
  if (call.fault && call.fault->experts) call.fault->experts(plan);
  if (plan.problem.t == 0) return;
  const Memory memory(plan, views_of(call.record.tensors), call.inputs);
  launch_all(call, plan, memory);
  memory.stream.wait();
  memory.out.download(call.out, memory.stream);
  if (plan.overwrite_x) memory.out.download(call.inputs.find("x")->second.data, memory.stream);
  memory.stream.wait();
}

/// The weights as they are.
QuantRecord pack_weights(const ExpertsProblem&, const TensorViews& weights) {
  QuantRecord record;
  record.tag = "triton";
  for (const auto& [name, view] : weights) record.tensors[name] = copy_of(view);
  return record;
}

std::optional<Refusal> refuse_record(const ExpertsProblem& p, const QuantRecord& record) {
  if (auto refusal = refuse_tag(record, "triton")) return refusal;
  return refuse_fields(record, wanted_weights(p), {}, {});
}

/// fp32 sums (int8: exact ones), rounded to io where the stages of an expert layer end.
OfferedPath offer(const std::string& quant) {
  OfferedPath path = offered_path("triton/" + quant, "triton", quant);
  path.profile.name = "fp32-stages";
  if (quant == "w8a8_int8") path.profile.accumulator = Accumulator::kInt32;
  path.traits = {{"weight_order", "gate_up"}, {"packer", "none"}, {"record", "triton"}};
  return path;
}

/// A row of the list of paths.
constexpr ExpertPath row(std::string_view quant, std::string_view name,
                         OfferedPath (*offer_row)()) {
  return {.backend = "triton",
          .quant = quant,
          .pack = "plain",
          .name = name,
          .record_tag = "triton",
          .offer = offer_row,
          .refuse = refuse_capacity,
          .pack_weights = pack_weights,
          .refuse_record = refuse_record,
          .run = run};
}

}  // namespace

const ExpertPath kTritonBf16 = row("bf16", "triton/bf16", [] { return offer("bf16"); });
const ExpertPath kTritonFp8Block =
    row("fp8_block128", "triton/fp8_block128", [] { return offer("fp8_block128"); });
const ExpertPath kTritonInt8 =
    row("w8a8_int8", "triton/w8a8_int8", [] { return offer("w8a8_int8"); });
const ExpertPath kTritonFp8Channel =
    row("w8a8_fp8_channel", "triton/w8a8_fp8_channel", [] { return offer("w8a8_fp8_channel"); });

}  // namespace plumbline::device
