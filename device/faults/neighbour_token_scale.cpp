#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(ExpertsPlan& plan) {
  plan.gemm1.a_scale_shift = 1;
  plan.gemm2.a_scale_shift = 1;
}

}  // namespace

const Fault kNeighbourTokenScale = {
    .info = {.name = "neighbour_token_scale",
             .fault_class = "F06",
             .mistake = "a token is multiplied by the activation scales of the next token",
             .expected_lane = "W",
             .pattern = "moe.experts/quant=fp8_*"},
    .experts = edit,
    .attention = nullptr,
    .route = nullptr,
};

}  // namespace plumbline::device
