#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(MethodRules& rules) { rules.keeps_switches = false; }

}  // namespace

const Fault kSwitchLeftByProcessWeights = {
    .info = {.name = "switch_left_by_process_weights",
             .fault_class = "F18",
             .mistake = "process_weights leaves the process-wide runner_backend at the backend of "
                        "its own runner",
             .expected_lane = "leak",
             .pattern = "moe.method"},
    .method = edit,
};

}  // namespace plumbline::device
