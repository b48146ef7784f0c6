#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(AttentionPlan& plan) {
  if (plan.args.window > 0) plan.args.window += 1;
}

}  // namespace

const Fault kWindowOffByOne = {
    .info = {.name = "window_off_by_one",
             .fault_class = "F16",
             .mistake = "the sliding window is one key too wide",
             .expected_lane = "W",
             .pattern = "attention.*/mask=sliding"},
    .experts = nullptr,
    .attention = edit,
    .route = nullptr,
};

}  // namespace plumbline::device
