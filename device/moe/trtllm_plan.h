#pragma once
#include "device/kernels/expert_gemm.h"
#include "device/kernels/experts.h"
#include "device/kernels/trtllm.h"
#include "reference/spec/problems.h"

namespace plumbline::device {

/// Everything that decides how `flashinfer_trtllm_routed` computes an expert layer: align,
/// quantise, product 1 with activation, quantise, product 2 in fp32, combine. Without pointers.
struct TrtllmPlan {
  ExpertsProblem problem;
  AlignArgs align;
  FusedArgs gemm1;
  GemmArgs gemm2;
  CombineArgs combine;
};

/// The plan of a problem that the path accepts.
TrtllmPlan plan_trtllm(const ExpertsProblem& problem);

}  // namespace plumbline::device
