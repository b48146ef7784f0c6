#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(ExpertsPlan& plan) {
  for (Rounding* rounding : {&plan.gemm1.rounding, &plan.activation.rounding, &plan.gemm2.rounding,
                             &plan.reduce.rounding}) {
    *rounding = Rounding::kTruncate;
  }
}

}  // namespace

const Fault kBf16Truncated = {
    .info = {.name = "bf16_truncated",
             .fault_class = "F18",
             .mistake = "bf16 results are cut off instead of rounded to nearest",
             .expected_lane = "bitwise",
             .pattern = "moe.experts/backend=triton"},
    .experts = edit,
    .attention = nullptr,
    .route = nullptr,
};

}  // namespace plumbline::device
