#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(RoutePlan& plan) { plan.args.weight_with_bias = true; }

}  // namespace

const Fault kBiasUsedAsWeight = {
    .info = {.name = "bias_used_as_weight",
             .fault_class = "F09",
             .mistake = "the weights are the biased scores",
             .expected_lane = "route",
             .pattern = "moe.route/bias=yes"},
    .experts = nullptr,
    .attention = nullptr,
    .route = edit,
};

}  // namespace plumbline::device
