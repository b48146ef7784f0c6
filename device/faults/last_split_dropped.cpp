#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(AttentionPlan& plan) {
  if (plan.args.splits > 1) plan.args.splits -= 1;
}

}  // namespace

const Fault kLastSplitDropped = {
    .info = {.name = "last_split_dropped",
             .fault_class = "F16",
             .mistake = "decode merges all splits of the keys but the last",
             .expected_lane = "W",
             .pattern = "attention.decode"},
    .experts = nullptr,
    .attention = edit,
    .route = nullptr,
};

}  // namespace plumbline::device
