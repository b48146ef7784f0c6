#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(MethodRules& rules) { rules.clears_ownership_first = false; }

}  // namespace

const Fault kOwnershipKeptByARefusedCall = {
    .info = {.name = "ownership_kept_by_a_refused_call",
             .fault_class = "F17",
             .mistake = "create_runner clears ownership only once it has succeeded: after a "
                        "refused call the method still owns the runner of before",
             .expected_lane = "lifecycle",
             .pattern = "moe.method"},
    .method = edit,
};

}  // namespace plumbline::device
