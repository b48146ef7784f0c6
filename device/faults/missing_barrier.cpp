#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

// Without the barrier before writing alone, threads that run in ascending order still read what is
// there: that one shows with HIPX_ORDER=reverse and under TSan only (paths_test.cpp).
void edit(LightopPlan& plan) { plan.permute.barriers = 0; }

}  // namespace

const Fault kMissingBarrier = {
    .info = {.name = "missing_barrier",
             .fault_class = "F11",
             .mistake = "lightop's permutation has no barriers between counting, placing and "
                        "writing: experts are placed by counts that are not there yet",
             .expected_lane = "W",
             .pattern = "moe.experts/backend=lightop"},
    .lightop = edit,
};

}  // namespace plumbline::device
