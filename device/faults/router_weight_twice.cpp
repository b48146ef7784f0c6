#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(ExpertsPlan& plan) { plan.gemm2.row_weight_power = 2; }

}  // namespace

const Fault kRouterWeightTwice = {
    .info = {.name = "router_weight_twice",
             .fault_class = "F08",
             .mistake = "the router weight multiplies each result twice",
             .expected_lane = "W",
             .pattern = "moe.experts/backend=triton"},
    .experts = edit,
    .attention = nullptr,
    .route = nullptr,
};

}  // namespace plumbline::device
