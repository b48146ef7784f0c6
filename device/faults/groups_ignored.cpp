#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(RoutePlan& plan) { plan.args.kept_groups = plan.args.groups; }

}  // namespace

const Fault kGroupsIgnored = {
    .info = {.name = "groups_ignored",
             .fault_class = "F09",
             .mistake = "experts are chosen from all groups",
             .expected_lane = "route",
             .pattern = "moe.route"},
    .experts = nullptr,
    .attention = nullptr,
    .route = edit,
};

}  // namespace plumbline::device
