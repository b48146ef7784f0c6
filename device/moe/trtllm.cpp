#include "device/moe/trtllm.h"

#include <algorithm>
#include <string>
#include <vector>

#include "device/faults/fault.h"
#include "device/kernels/buffer.h"
#include "device/moe/layer.h"
#include "device/moe/trtllm_plan.h"

namespace plumbline::device {
namespace {

constexpr std::string_view kTag = "flashinfer_trtllm_fp8";

/// The second half of each expert's rows first.
void swap_halves(Tensor& tensor, std::int64_t experts) {
  const std::int64_t expert_bytes = std::ssize(tensor.data) / experts;
  for (std::int64_t expert = 0; expert < experts; ++expert) {
    const auto first = tensor.data.begin() + expert * expert_bytes;
    std::rotate(first, first + expert_bytes / 2, first + expert_bytes);
  }
}

Tensor filled(std::int64_t experts, double value) {
  Tensor tensor = Tensor::zeros({DType::kF32, {experts}});
  std::ranges::fill(tensor.as<float>(), static_cast<float>(value));
  return tensor;
}

QuantRecord pack_weights(const ExpertsProblem& p, const TensorViews& weights) {
  QuantRecord record;
  record.tag = kTag;
  for (const auto& [name, view] : weights) record.tensors[name] = copy_of(view);
  swap_halves(record.tensors["w13"], p.e);
  swap_halves(record.tensors["w13_scale"], p.e);
  if (p.activation.kind != Activation::Kind::kSwiglu) return record;
  record.tensors["gemm1_alpha"] = filled(p.e, p.activation.alpha);
  record.tensors["gemm1_beta"] = filled(p.e, p.activation.beta);
  if (p.activation.limit > 0.0) {
    record.tensors["gemm1_clamp_limit"] = filled(p.e, p.activation.limit);
  }
  return record;
}

std::optional<Refusal> refuse_record(const ExpertsProblem& p, const QuantRecord& record) {
  if (auto refusal = refuse_tag(record, kTag)) return refusal;
  std::vector<Wanted> wanted = wanted_weights(p);
  if (p.activation.kind == Activation::Kind::kSwiglu) {
    wanted.push_back({"gemm1_alpha", DType::kF32, {p.e}});
    wanted.push_back({"gemm1_beta", DType::kF32, {p.e}});
    if (p.activation.limit > 0.0) wanted.push_back({"gemm1_clamp_limit", DType::kF32, {p.e}});
  }
  return refuse_fields(record, wanted, {}, {});
}

/// The device memory of one call.
struct Memory {
  Memory(const TrtllmPlan& plan, const TensorViews& packed, const TensorViews& inputs)
      : x(inputs, "x", stream),
        ids(inputs, "topk_ids", stream),
        weights(inputs, "topk_weights", stream),
        w13(packed, "w13", stream),
        w2(packed, "w2", stream),
        w13_scale(packed, "w13_scale", stream),
        w2_scale(packed, "w2_scale", stream),
        alpha(packed, "gemm1_alpha", stream),
        beta(packed, "gemm1_beta", stream),
        limit(packed, "gemm1_clamp_limit", stream),
        sorted_rows(4 * std::int64_t{plan.gemm1.row_tiles} * kRowTile),
        tile_expert(4 * std::int64_t{plan.gemm1.row_tiles}),
        tile_count(4),
        first_tile(4 * plan.problem.e),
        activated(2 * std::int64_t{plan.gemm1.rows} * plan.gemm1.n),
        sums(4 * std::int64_t{plan.gemm2.rows} * plan.gemm2.n),
        out(2 * plan.problem.t * plan.problem.h) {}

  Stream stream;
  Input x, ids, weights, w13, w2, w13_scale, w2_scale, alpha, beta, limit;
  Buffer sorted_rows, tile_expert, tile_count, first_tile, activated, sums, out;
};

/// A matrix in e4m3, groups of kScaleBlock elements with a scale.
struct Groups {
  Groups(const Bf16* in, std::int64_t rows, std::int64_t columns, const Stream& stream)
      : codes(rows * columns), scale(4 * rows * ceil_div(columns, kScaleBlock)) {
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

void align(const TrtllmPlan& plan, const Memory& memory) {
  AlignArgs args = plan.align;
  args.ids = memory.ids.as<std::int32_t>();
  args.sorted_rows = memory.sorted_rows.as<std::int32_t>();
  args.tile_expert = memory.tile_expert.as<std::int32_t>();
  args.tile_count = memory.tile_count.as<std::int32_t>();
  args.first_tile = memory.first_tile.as<std::int32_t>();
  launch_align(args, memory.stream.get());
}

void multiply_gate_up(const TrtllmPlan& plan, const Memory& memory) {
  const Groups x(memory.x.as<Bf16>(), plan.problem.t, plan.problem.h, memory.stream);
  FusedArgs args = plan.gemm1;
  args.a = x.codes.as<E4m3>();
  args.a_scale = x.scale.as<float>();
  args.b = memory.w13.as<E4m3>();
  args.b_scale = memory.w13_scale.as<float>();
  args.alpha = memory.alpha.as<float>();
  args.beta = memory.beta.as<float>();
  args.limit = memory.limit.as<float>();
  args.sorted_rows = memory.sorted_rows.as<std::int32_t>();
  args.tile_expert = memory.tile_expert.as<std::int32_t>();
  args.tile_count = memory.tile_count.as<std::int32_t>();
  args.out = memory.activated.as<Bf16>();
  launch_fused_gate_up(args, memory.stream.get());
  memory.stream.wait();
}

void multiply_down(const TrtllmPlan& plan, const Memory& memory) {
  const Groups activated(memory.activated.as<Bf16>(), plan.gemm2.rows, plan.gemm2.k, memory.stream);
  GemmArgs args = plan.gemm2;
  args.a = activated.codes.as<void>();
  args.a_scale = activated.scale.as<float>();
  args.b = memory.w2.as<void>();
  args.b_scale = memory.w2_scale.as<float>();
  args.sorted_rows = memory.sorted_rows.as<std::int32_t>();
  args.tile_expert = memory.tile_expert.as<std::int32_t>();
  args.tile_count = memory.tile_count.as<std::int32_t>();
  args.sums = memory.sums.as<float>();
  launch_expert_gemm(GemmInput::kE4m3, args, memory.stream.get());
  memory.stream.wait();
}

void combine(const TrtllmPlan& plan, const Memory& memory) {
  CombineArgs args = plan.combine;
  args.y = memory.sums.as<float>();
  args.x = memory.x.as<Bf16>();
  args.ids = memory.ids.as<std::int32_t>();
  args.weights = memory.weights.as<float>();
  args.out = memory.out.as<Bf16>();
  launch_combine(args, memory.stream.get());
}

void run(const ExpertCall& call) {
  TrtllmPlan plan = plan_trtllm(call.problem);
  if (call.fault && call.fault->trtllm) call.fault->trtllm(plan);
  if (plan.problem.t == 0) return;
  const Memory memory(plan, views_of(call.record.tensors), call.inputs);
  const std::int64_t slots = plan.problem.t * plan.problem.k;
  align(plan, memory);
  multiply_gate_up(plan, memory);
  observe(call, "activated", {DType::kBf16, {slots, plan.problem.i}}, memory.activated,
          memory.stream);
  multiply_down(plan, memory);
  observe(call, "sums", {DType::kF32, {slots, plan.problem.h}}, memory.sums, memory.stream);
  combine(plan, memory);
  memory.stream.wait();
  memory.out.download(call.out, memory.stream);
  memory.stream.wait();
}

OfferedPath offer() {
  OfferedPath path = offered_path("flashinfer_trtllm_routed/fp8_block128",
                                  "flashinfer_trtllm_routed", "fp8_block128");
  take_words(path, "act", {"silu", "swiglu:*"});
  take_words(path, "bias", {"no"});
  path.profile.name = "fp32-activation";
  path.profile.rounding = ExpertRounding::kActivation;
  // A block of scales may not hold both up and gate rows.
  path.constraints = {"i % 128 == 0"};
  path.traits = {{"weight_order", "up_gate"}, {"packer", "up_gate"}, {"record", std::string(kTag)}};
  return path;
}

}  // namespace

TrtllmPlan plan_trtllm(const ExpertsProblem& p) {
  TrtllmPlan plan;
  plan.problem = p;
  plan.align.slots = static_cast<std::int32_t>(p.t * p.k);
  plan.align.experts = static_cast<std::int32_t>(p.e);
  plan.gemm1.rows = plan.align.slots;
  plan.gemm1.n = static_cast<std::int32_t>(p.i);
  plan.gemm1.k = static_cast<std::int32_t>(p.h);
  plan.gemm1.a_divisor = static_cast<std::int32_t>(p.k);
  plan.gemm1.up_offset = 0;
  plan.gemm1.gate_offset = plan.gemm1.n;
  plan.gemm1.row_tiles = static_cast<std::int32_t>(row_tiles_of(p));
  plan.gemm1.kind = plan_activation(p).kind;
  plan.gemm2 = plan_gemm(p, p.h, p.i);
  plan.combine = plan_combine(p);
  return plan;
}

const ExpertPath kTrtllmRoutedFp8 = {.backend = "flashinfer_trtllm_routed",
                                     .quant = "fp8_block128",
                                     .pack = "plain",
                                     .name = "flashinfer_trtllm_routed/fp8_block128",
                                     .record_tag = kTag,
                                     .offer = offer,
                                     .refuse = refuse_capacity,
                                     .pack_weights = pack_weights,
                                     .refuse_record = refuse_record,
                                     .run = run};

}  // namespace plumbline::device
