#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(ExpertsPlan& plan) {
  if (plan.activation.alpha != 1.0F) plan.activation.alpha = 1.7F;
}

}  // namespace

const Fault kAlphaOf17 = {
    .info = {.name = "alpha_of_1_7",
             .fault_class = "F10",
             .mistake = "the sigmoid of swiglu takes 1.7 times its argument, not 1.702 times",
             .expected_lane = "S",
             .pattern = "moe.experts/backend=triton"},
    .experts = edit,
    .attention = nullptr,
    .route = nullptr,
};

}  // namespace plumbline::device
