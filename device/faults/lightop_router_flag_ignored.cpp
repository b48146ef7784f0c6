#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(LightopPlan& plan) {
  if (plan.code != TokenCode::kE4m3) return;
  plan.weigh_input = false;
  plan.combine.weight_power = 1;
}

}  // namespace

const Fault kLightopRouterFlagIgnored = {
    .info = {.name = "lightop_router_flag_ignored",
             .fault_class = "F08",
             .mistake = "lightop's FP8 branch does not pass the router flag on: the weight "
                        "multiplies the result",
             .expected_lane = "W",
             .pattern = "moe.experts/backend=lightop/quant=w8a8_fp8_channel/weight=input"},
    .lightop = edit,
};

}  // namespace plumbline::device
