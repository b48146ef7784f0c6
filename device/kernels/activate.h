#pragma once
#include <cmath>

#include "device/kernels/experts.h"
#include "device/kernels/portable.h"

namespace plumbline::device {

__device__ inline float sigmoid(float x) { return 1.0F / (1.0F + expf(-x)); }

/// The formulas of GateKind in fp32.
__device__ inline float activate(const Gate& a, float gate, float up) {
  if (a.kind == GateKind::kRelu2) {
    const float positive = gate < 0.0F ? 0.0F : gate;
    return positive * positive;
  }
  if (a.kind == GateKind::kSilu) return gate * sigmoid(gate) * up;
  if (a.limited) {
    gate = gate > a.limit ? a.limit : gate;
    up = up > a.limit ? a.limit : up;
    up = up < -a.limit ? -a.limit : up;
  }
  return gate * sigmoid(a.alpha * gate) * (up + a.beta);
}

}  // namespace plumbline::device
