#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(ExpertsPlan& plan) {
  if (plan.input != GemmInput::kI8Channel) return;
  plan.gemm1.b_scale_shift = 1;
  plan.gemm2.b_scale_shift = 1;
}

void edit_lightop(LightopPlan& plan) {
  if (plan.code != TokenCode::kI8) return;
  plan.gemm1.scale_shift = 1;
  plan.gemm2.scale_shift = 1;
}

}  // namespace

const Fault kInt8ScaleOfTheNeighbour = {
    .info = {.name = "int8_scale_of_the_neighbour",
             .fault_class = "F06",
             .mistake = "an INT8 channel is multiplied by the weight scale of the next channel",
             .expected_lane = "W",
             .pattern = "moe.experts/quant=w8a8_int8"},
    .experts = edit,
    .lightop = edit_lightop,
};

}  // namespace plumbline::device
