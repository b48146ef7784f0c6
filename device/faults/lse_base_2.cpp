#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(AttentionPlan& plan) { plan.args.lse_factor = 1.44269504F; }

}  // namespace

const Fault kLseBase2 = {
    .info = {.name = "lse_base_2",
             .fault_class = "F16",
             .mistake = "the LSE is given in base 2",
             .expected_lane = "W",
             .pattern = "attention.*/lse=yes"},
    .experts = nullptr,
    .attention = edit,
    .route = nullptr,
};

}  // namespace plumbline::device
