#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(const ExpertsProblem& problem, const TensorViews&, QuantRecord& record) {
  if (record.tag != "flashinfer_trtllm_fp8") return;
  if (problem.activation.kind != Activation::Kind::kSwiglu) return;
  record.tensors.try_emplace("gemm1_clamp_limit", Tensor::zeros({DType::kF32, {problem.e}}));
}

}  // namespace

const Fault kTrtllmAbsentLimitIsZero = {
    .info =
        {.name = "trtllm_absent_limit_is_zero",
         .fault_class = "F10",
         .mistake =
             "where the activation has no limit, gemm1_clamp_limit is there and 0 for every expert",
         .expected_lane = "W",
         .pattern = "moe.experts/backend=flashinfer_trtllm_routed/act=swiglu:*"},
    .packed = edit,
};

}  // namespace plumbline::device
