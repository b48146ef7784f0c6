#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(AttentionPlan& plan) { plan.args.kv_divisor = 1; }

}  // namespace

const Fault kGqaHeadMapInterleaved = {
    .info = {.name = "gqa_head_map_interleaved",
             .fault_class = "F16",
             .mistake = "query head h reads K/V head h % hkv instead of its group",
             .expected_lane = "W",
             .pattern = "attention.*"},
    .experts = nullptr,
    .attention = edit,
    .route = nullptr,
};

}  // namespace plumbline::device
