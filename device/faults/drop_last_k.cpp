#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(ExpertsPlan& plan) {
  plan.gemm1.k_end -= 1;
  plan.gemm2.k_end -= 1;
}

}  // namespace

const Fault kDropLastK = {
    .info = {.name = "drop_last_k",
             .fault_class = "F03",
             .mistake = "both products leave out their last element along k",
             .expected_lane = "W",
             .pattern = "moe.experts/backend=triton"},
    .experts = edit,
    .attention = nullptr,
    .route = nullptr,
};

}  // namespace plumbline::device
