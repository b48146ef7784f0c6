#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(ExpertsPlan& plan) { plan.activation.limit = 0.0F; }

}  // namespace

const Fault kLimitDropped = {
    .info = {.name = "limit_dropped",
             .fault_class = "F10",
             .mistake = "the limit of swiglu is not passed to the activation",
             .expected_lane = "W",
             .pattern = "moe.experts/act=swiglu:*"},
    .experts = edit,
    .attention = nullptr,
    .route = nullptr,
};

}  // namespace plumbline::device
