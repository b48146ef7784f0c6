#include "device/moe/lightop/lightop.h"

#include <algorithm>
#include <string>
#include <utility>

#include "device/faults/fault.h"
#include "device/kernels/buffer.h"
#include "device/kernels/expert_gemm.h"
#include "device/moe/layer.h"
#include "device/moe/lightop/layout.h"
#include "device/moe/lightop/library.h"
#include "device/moe/lightop/plan.h"

namespace plumbline::device {
namespace {

static_assert(kPanelTile == kRowTile);

PanelArgs plan_panels(const ExpertsProblem& p, std::int64_t n, std::int64_t k,
                      std::int64_t panels) {
  PanelArgs args;
  args.n = static_cast<std::int32_t>(n);
  args.k = static_cast<std::int32_t>(k);
  args.depth = static_cast<std::int32_t>(lightop::depth_of(p, k));
  args.panels = static_cast<std::int32_t>(panels);
  args.row_tiles = static_cast<std::int32_t>(row_tiles_of(p));
  args.order = lightop::order_of(p);
  return args;
}

TokenQuantiseArgs plan_quantise(const ExpertsProblem& p, std::int64_t columns, int wave) {
  TokenQuantiseArgs args;
  args.rows = static_cast<std::int32_t>(p.t * p.k);
  args.columns = static_cast<std::int32_t>(columns);
  args.threads = wave;
  return args;
}

/// The device memory of one call.
struct Memory {
  Memory(const LightopPlan& plan, const TensorViews& packed, const TensorViews& inputs)
      : x(inputs, "x", stream),
        ids(inputs, "topk_ids", stream),
        weights(inputs, "topk_weights", stream),
        w13(packed, "w13", stream),
        w2(packed, "w2", stream),
        w13_scale(packed, "w13_scale", stream),
        w2_scale(packed, "w2_scale", stream),
        row_slot(4 * slots(plan)),
        slot_row(4 * slots(plan)),
        tiles(12 * std::int64_t{plan.gemm1.row_tiles}),
        counts(8),
        places(8 * plan.problem.e),
        codes(slots(plan) * std::max(plan.problem.h, plan.problem.i)),
        scales(4 * slots(plan)),
        activated(2 * slots(plan) * plan.problem.i),
        sums(4 * slots(plan) * plan.problem.h),
        out(2 * plan.problem.t * plan.problem.h) {}

  static std::int64_t slots(const LightopPlan& plan) { return plan.permute.slots; }

  Stream stream;
  Input x, ids, weights, w13, w2, w13_scale, w2_scale;
  Buffer row_slot, slot_row, tiles, counts, places;
  Buffer codes, scales, activated, sums, out;
};

void permute(const LightopPlan& plan, const Memory& memory) {
  PermuteArgs args = plan.permute;
  const std::int32_t tiles = plan.gemm1.row_tiles;
  args.ids = memory.ids.as<std::int32_t>();
  args.row_slot = memory.row_slot.as<std::int32_t>();
  args.slot_row = memory.slot_row.as<std::int32_t>();
  args.tile_expert = memory.tiles.as<std::int32_t>();
  args.tile_first = args.tile_expert + tiles;
  args.tile_rows = args.tile_first + tiles;
  args.counts = memory.counts.as<std::int32_t>();
  args.first_row = memory.places.as<std::int32_t>();
  args.first_tile = args.first_row + args.experts;
  launch_permute(args, memory.stream.get());
}

/// Codes and scales of permuted rows, which both products read from the same memory.
void quantise(const LightopPlan& plan, TokenQuantiseArgs args, const Memory& memory) {
  args.count = memory.counts.as<std::int32_t>();
  args.out = memory.codes.as<void>();
  args.scale = memory.scales.as<float>();
  launch_quantise_tokens(plan.code, args, plan.wave, memory.stream.get());
}

void quantise_x(const LightopPlan& plan, const Memory& memory) {
  TokenQuantiseArgs args = plan.quantise_x;
  args.in = memory.x.as<Bf16>();
  args.source = memory.row_slot.as<std::int32_t>();
  if (plan.weigh_input) args.weight = memory.weights.as<float>();
  quantise(plan, args, memory);
}

void multiply(const LightopPlan& plan, PanelArgs args, bool pairs, const Memory& memory) {
  args.a = memory.codes.as<void>();
  args.a_scale = memory.scales.as<float>();
  args.tile_expert = memory.tiles.as<std::int32_t>();
  args.tile_first = args.tile_expert + args.row_tiles;
  args.tile_rows = args.tile_first + args.row_tiles;
  args.counts = memory.counts.as<std::int32_t>();
  launch_panels(plan.code, pairs, args, memory.stream.get());
}

void multiply_gate_up(const LightopPlan& plan, const Memory& memory) {
  PanelArgs args = plan.gemm1;
  args.b = memory.w13.as<void>();
  args.b_scale = memory.w13_scale.as<float>();
  args.activated = memory.activated.as<Bf16>();
  multiply(plan, args, plan.problem.activation.gated(), memory);
}

void multiply_down(const LightopPlan& plan, const Memory& memory) {
  TokenQuantiseArgs activated = plan.quantise_activated;
  activated.in = memory.activated.as<Bf16>();
  quantise(plan, activated, memory);
  PanelArgs args = plan.gemm2;
  args.b = memory.w2.as<void>();
  args.b_scale = memory.w2_scale.as<float>();
  args.sums = memory.sums.as<float>();
  multiply(plan, args, false, memory);
}

void combine(const LightopPlan& plan, const Memory& memory) {
  CombineArgs args = plan.combine;
  args.y = memory.sums.as<float>();
  args.row = memory.slot_row.as<std::int32_t>();
  args.x = memory.x.as<Bf16>();
  args.ids = memory.ids.as<std::int32_t>();
  args.weights = memory.weights.as<float>();
  args.out = memory.out.as<Bf16>();
  launch_combine(args, memory.stream.get());
}

/// Both functions of the library: they differ in the codes that the plan names.
void run_plan(const ExpertCall& call) {
  LightopPlan plan = plan_lightop(call.problem, call.wave);
  if (call.fault && call.fault->lightop) call.fault->lightop(plan);
  if (plan.problem.t == 0) return;
  const Memory memory(plan, views_of(call.record.tensors), call.inputs);
  const std::int64_t slots = plan.permute.slots;
  permute(plan, memory);
  observe(call, "row_slot", {DType::kI32, {slots}}, memory.row_slot, memory.stream);
  quantise_x(plan, memory);
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

/// Gate, up and the results stay in fp32; only what product 2 reads is rounded.
OfferedPath offer(std::string name, std::string quant, std::string packer) {
  OfferedPath path = offered_path(std::move(name), "lightop", std::move(quant));
  take_words(path, "bias", {"no"});
  take_words(path, "weight", {"output", "input"});
  path.profile.name = "fp32-activation";
  path.profile.rounding = ExpertRounding::kActivation;
  path.constraints = {"z == 0"};
  path.traits = {{"weight_order", "gate_up"}, {"packer", std::move(packer)}, {"record", "lightop"}};
  return path;
}

OfferedPath offer_int8() {
  OfferedPath path = offer("lightop/w8a8_int8", "w8a8_int8", "lightop_panel16");
  path.profile.accumulator = Accumulator::kInt32;
  return path;
}

OfferedPath offer_int8_kpack2() {
  OfferedPath path = offer("lightop/w8a8_int8_kpack2", "w8a8_int8", "lightop_panel16_kpack2");
  path.profile.accumulator = Accumulator::kInt32;
  take_words(path, "pack", {"kpack2"});
  return path;
}

OfferedPath offer_fp8() {
  OfferedPath path = offer("lightop/w8a8_fp8_channel", "w8a8_fp8_channel", "lightop_tile16x32");
  path.constraints = {"h % 32 == 0", "i % 16 == 0", "2 * i % 32 == 0", "z == 0"};
  return path;
}

}  // namespace

LightopPlan plan_lightop(const ExpertsProblem& p, int wave) {
  LightopPlan plan;
  plan.problem = p;
  plan.code = p.quant == "w8a8_int8" ? TokenCode::kI8 : TokenCode::kE4m3;
  plan.wave = wave;
  plan.weigh_input = p.weight_on == WeightOn::kInput;
  plan.permute.slots = static_cast<std::int32_t>(p.t * p.k);
  plan.permute.experts = static_cast<std::int32_t>(p.e);
  plan.quantise_x = plan_quantise(p, p.h, wave);
  plan.quantise_x.divisor = static_cast<std::int32_t>(p.k);
  plan.gemm1 = plan_panels(p, p.i, p.h, lightop::w13_panels(p));
  plan.gemm1.gate = gate_of(plan_activation(p));
  plan.quantise_activated = plan_quantise(p, p.i, wave);
  plan.gemm2 = plan_panels(p, p.h, p.i, lightop::panels_of(p.h));
  plan.combine = plan_combine(p);
  plan.combine.weight_power = plan.weigh_input ? 0 : 1;
  return plan;
}

namespace lightop {

void moe_w8a8_int8(const ExpertCall& call) { run_plan(call); }
void moe_w8a8_fp8(const ExpertCall& call) { run_plan(call); }

}  // namespace lightop

const ExpertPath kLightopInt8 = {.backend = "lightop",
                                 .quant = "w8a8_int8",
                                 .pack = "plain",
                                 .name = "lightop/w8a8_int8",
                                 .record_tag = "lightop",
                                 .offer = offer_int8,
                                 .refuse = refuse_capacity,
                                 .pack_weights = lightop::pack_weights,
                                 .refuse_record = lightop::refuse_record,
                                 .run = lightop::moe_w8a8_int8,
                                 .refuse_library = lightop::refuse_int8_library};

const ExpertPath kLightopInt8Kpack2 = {.backend = "lightop",
                                       .quant = "w8a8_int8",
                                       .pack = "kpack2",
                                       .name = "lightop/w8a8_int8_kpack2",
                                       .record_tag = "lightop",
                                       .offer = offer_int8_kpack2,
                                       .refuse = refuse_capacity,
                                       .pack_weights = lightop::pack_weights,
                                       .refuse_record = lightop::refuse_record,
                                       .run = lightop::moe_w8a8_int8,
                                       .refuse_library = lightop::refuse_int8_library};

const ExpertPath kLightopFp8 = {.backend = "lightop",
                                .quant = "w8a8_fp8_channel",
                                .pack = "plain",
                                .name = "lightop/w8a8_fp8_channel",
                                .record_tag = "lightop",
                                .offer = offer_fp8,
                                .refuse = refuse_capacity,
                                .pack_weights = lightop::pack_weights,
                                .refuse_record = lightop::refuse_record,
                                .run = lightop::moe_w8a8_fp8,
                                .refuse_library = lightop::refuse_fp8_library};

}  // namespace plumbline::device
