#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(ExpertsPlan& plan) { plan.reduce.tokens += 1; }

}  // namespace

const Fault kOneTokenTooMany = {
    .info = {.name = "one_token_too_many",
             .fault_class = "F15",
             .mistake = "the combine step runs over one token more than there is: reads and writes "
                        "outside its tensors",
             .expected_lane = "crash",
             .pattern = "moe.experts/backend=triton"},
    .experts = edit,
    .attention = nullptr,
    .route = nullptr,
};

}  // namespace plumbline::device
