#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(RoutePlan& plan) { plan.args.renormalise = false; }

}  // namespace

const Fault kRenormaliseSkipped = {
    .info = {.name = "renormalise_skipped",
             .fault_class = "F09",
             .mistake = "the weights are not divided by their sum",
             .expected_lane = "route",
             .pattern = "moe.route/renorm=yes"},
    .experts = nullptr,
    .attention = nullptr,
    .route = edit,
};

}  // namespace plumbline::device
