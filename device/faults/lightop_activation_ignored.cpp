#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(LightopPlan& plan) {
  if (plan.code == TokenCode::kE4m3 && plan.problem.activation.gated()) plan.gemm1.gate = {};
}

}  // namespace

const Fault kLightopActivationIgnored = {
    .info = {.name = "lightop_activation_ignored",
             .fault_class = "F10",
             .mistake =
                 "lightop's FP8 branch does not pass the activation on: every gated one is silu",
             .expected_lane = "W",
             .pattern = "moe.experts/backend=lightop/quant=w8a8_fp8_channel/act=swiglu:*"},
    .lightop = edit,
};

}  // namespace plumbline::device
