#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(AttentionPlan& plan) {
  if (!plan.problem.decode) plan.args.length_multiple = 16;
}

}  // namespace

const Fault kKeysReadPastTheEnd = {
    .info = {.name = "keys_read_past_the_end",
             .fault_class = "F16",
             .mistake = "prefill rounds the number of keys of a sequence up to 16 and reads beyond "
                        "the last one",
             .expected_lane = "crash",
             .pattern = "attention.prefill"},
    .experts = nullptr,
    .attention = edit,
    .route = nullptr,
};

}  // namespace plumbline::device
