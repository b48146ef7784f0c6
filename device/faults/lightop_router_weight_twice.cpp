#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(LightopPlan& plan) { plan.combine.weight_power = 1; }

}  // namespace

const Fault kLightopRouterWeightTwice = {
    .info = {.name = "lightop_router_weight_twice",
             .fault_class = "F08",
             .mistake = "with weight=input lightop multiplies the tokens by the router weight and "
                        "the results again",
             .expected_lane = "W",
             .pattern = "moe.experts/backend=lightop/weight=input"},
    .lightop = edit,
};

}  // namespace plumbline::device
