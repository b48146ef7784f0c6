#pragma once
#include "reference/ops/matrix.h"
#include "reference/spec/problems.h"

namespace plumbline::ops {

/// σ(x) = 1 / (1 + exp(−x)), relative error of a few double roundings on both sides.
double sigmoid(double x);

/// log(1 + exp(x)) without overflow.
double softplus(double x);

/// One value of the activation of an expert, with σ the sigmoid and L the limit (none: ∞):
/// silu g·σ(g)·u; swiglu min(g, L)·σ(alpha·min(g, L))·(clamp(u, ±L) + beta); relu2 max(g, 0)²,
/// `up` ignored. NaN in either operand that counts gives NaN.
double activate(const Activation& activation, double gate, double up);

/// Row-wise over the output of GEMM1: gated [n, 2i] (gate columns, then up columns) → [n, i];
/// relu2 [n, i] → [n, i]. Throws ContractViolation where a gated activation gets an odd width.
Matrix activate_rows(const Activation& activation, const Matrix& gemm1);

}  // namespace plumbline::ops
