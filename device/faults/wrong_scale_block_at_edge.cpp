#include <algorithm>

#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(ExpertsPlan& plan) {
  plan.gemm1.b_scale_last = std::max(plan.gemm1.b_scale_last - 1, 0);
  plan.gemm2.b_scale_last = std::max(plan.gemm2.b_scale_last - 1, 0);
}

}  // namespace

const Fault kWrongScaleBlockAtEdge = {
    .info = {.name = "wrong_scale_block_at_edge",
             .fault_class = "F06",
             .mistake = "the last block along k takes the weight scale of the block before it",
             .expected_lane = "W",
             .pattern = "moe.experts/quant=fp8_block128"},
    .experts = edit,
    .attention = nullptr,
    .route = nullptr,
};

}  // namespace plumbline::device
