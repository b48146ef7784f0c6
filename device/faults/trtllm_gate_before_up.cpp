#include <utility>

#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(TrtllmPlan& plan) { std::swap(plan.gemm1.gate_offset, plan.gemm1.up_offset); }

}  // namespace

const Fault kTrtllmGateBeforeUp = {
    .info = {.name = "trtllm_gate_before_up",
             .fault_class = "F07",
             .mistake = "flashinfer_trtllm_routed takes its rows in triton's order: gate before up",
             .expected_lane = "W",
             .pattern = "moe.experts/backend=flashinfer_trtllm_routed"},
    .trtllm = edit,
};

}  // namespace plumbline::device
