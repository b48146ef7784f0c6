#pragma once
#include <optional>

#include "device/kernels/route.h"
#include "reference/spec/problems.h"
#include "reference/spec/status.h"
#include "reference/spec/tensor.h"

namespace plumbline::device {

/// Everything that decides how tokens are routed: the arguments of the launch, without pointers.
struct RoutePlan {
  RouteProblem problem;
  RouteArgs args;
  int wave = 64;
};

/// Refuses more experts than the kernel takes, and tensors that do not fit.
std::optional<Refusal> refuse_route(const RouteProblem& problem, const TensorViews& inputs);

RoutePlan plan_route(const RouteProblem& problem, int wave);

/// Where the results go in host memory: ids i32 [t, k], weights f32 [t, k].
struct RouteTarget {
  std::byte* ids = nullptr;
  std::byte* weights = nullptr;
};

/// Runs a plan. Throws DeviceError.
void run_route(const RoutePlan& plan, const TensorViews& inputs, const RouteTarget& target);

}  // namespace plumbline::device
