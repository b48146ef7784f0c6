#include <utility>

#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(ExpertsPlan& plan) { std::swap(plan.activation.gate_offset, plan.activation.up_offset); }

}  // namespace

const Fault kGateUpSwapped = {
    .info = {.name = "gate_up_swapped",
             .fault_class = "F07",
             .mistake = "the activation takes the up rows for the gate rows",
             .expected_lane = "W",
             .pattern = "moe.experts/backend=triton"},
    .experts = edit,
    .attention = nullptr,
    .route = nullptr,
};

}  // namespace plumbline::device
