#pragma once
#include "device/kernels/lightop.h"
#include "reference/spec/problems.h"

namespace plumbline::device {

/// Everything that decides how `lightop` computes an expert layer: permute (tokens to contiguous
/// rows by expert), quantise, product 1 with activation, quantise, product 2 in fp32, combine.
/// Without pointers.
struct LightopPlan {
  ExpertsProblem problem;
  TokenCode code = TokenCode::kI8;
  int wave = 64;
  bool weigh_input = false;  ///< x · router weight, rounded to bf16, is what product 1 reads
  PermuteArgs permute;
  TokenQuantiseArgs quantise_x;
  PanelArgs gemm1;
  TokenQuantiseArgs quantise_activated;
  PanelArgs gemm2;
  CombineArgs combine;
};

/// The plan of a problem that the path accepts.
LightopPlan plan_lightop(const ExpertsProblem& problem, int wave);

}  // namespace plumbline::device
