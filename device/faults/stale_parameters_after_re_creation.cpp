#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(MethodRules& rules) { rules.removes_stale_parameters = false; }

}  // namespace

const Fault kStaleParametersAfterReCreation = {
    .info = {.name = "stale_parameters_after_re_creation",
             .fault_class = "F17",
             .mistake =
                 "a second process_weights leaves the parameters of an owner that is none any more",
             .expected_lane = "lifecycle",
             .pattern = "moe.method/ownership=recreated_empty"},
    .method = edit,
};

}  // namespace plumbline::device
