#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(MethodRules& rules) { rules.refuses_unknown_backend = false; }

}  // namespace

const Fault kUnknownRunnerBecomesTriton = {
    .info = {.name = "unknown_runner_becomes_triton",
             .fault_class = "F17",
             .mistake =
                 "create_runner builds triton's runner for a backend that it has no branch for",
             .expected_lane = "lifecycle",
             .pattern = "moe.method/calls=weights.runner.load.apply"},
    .method = edit,
};

}  // namespace plumbline::device
