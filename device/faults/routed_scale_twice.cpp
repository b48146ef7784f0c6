#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(ExpertsPlan& plan) { plan.reduce.scale_power = 2; }

}  // namespace

const Fault kRoutedScaleTwice = {
    .info = {.name = "routed_scale_twice",
             .fault_class = "F08",
             .mistake = "the routed scaling factor multiplies the sum twice",
             .expected_lane = "W",
             .pattern = "moe.experts/backend=triton"},
    .experts = edit,
    .attention = nullptr,
    .route = nullptr,
};

}  // namespace plumbline::device
