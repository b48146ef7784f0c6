#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(LightopPlan& plan) {
  for (PanelArgs* gemm : {&plan.gemm1, &plan.gemm2}) {
    if (gemm->order == PanelOrder::kPairs) gemm->order = PanelOrder::kColumns;
  }
}

}  // namespace

const Fault kLightopKpackIgnored = {
    .info = {.name = "lightop_kpack_ignored",
             .fault_class = "F07",
             .mistake = "lightop reads weights that lie in pairs of k as if they did not",
             .expected_lane = "W",
             .pattern = "moe.experts/backend=lightop/pack=kpack2"},
    .lightop = edit,
};

}  // namespace plumbline::device
