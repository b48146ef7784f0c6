#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(AttentionPlan& plan) {
  if (plan.problem.mask == Mask::kCausal) plan.args.diagonal = 1;
}

}  // namespace

const Fault kCausalOffByOne = {
    .info = {.name = "causal_off_by_one",
             .fault_class = "F16",
             .mistake = "a query sees one key behind its own place",
             .expected_lane = "W",
             .pattern = "attention.*/mask=causal"},
    .experts = nullptr,
    .attention = edit,
    .route = nullptr,
};

}  // namespace plumbline::device
