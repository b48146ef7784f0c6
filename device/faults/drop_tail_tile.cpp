#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(ExpertsPlan& plan) {
  plan.gemm1.k_end -= plan.gemm1.k % 16;
  plan.gemm2.k_end -= plan.gemm2.k % 16;
}

}  // namespace

const Fault kDropTailTile = {
    .info = {.name = "drop_tail_tile",
             .fault_class = "F03",
             .mistake = "both products leave out the tail of k that does not fill 16 elements",
             .expected_lane = "W",
             .pattern = "moe.experts/backend=triton"},
    .experts = edit,
    .attention = nullptr,
    .route = nullptr,
};

}  // namespace plumbline::device
