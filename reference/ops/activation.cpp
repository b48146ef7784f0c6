#include "reference/ops/activation.h"

#include <cmath>
#include <limits>
#include <string>

#include "reference/spec/status.h"

namespace plumbline::ops {
namespace {

/// Written so that NaN passes through.
double clamp_to(double x, double low, double high) {
  if (x > high) return high;
  return x < low ? low : x;
}

}  // namespace

double sigmoid(double x) {
  if (x >= 0.0) return 1.0 / (1.0 + std::exp(-x));
  const double e = std::exp(x);
  return e / (1.0 + e);
}

double softplus(double x) { return (x > 0.0 ? x : 0.0) + std::log1p(std::exp(-std::fabs(x))); }

double activate(const Activation& activation, double gate, double up) {
  if (activation.kind == Activation::Kind::kRelu2) {
    const double positive = gate < 0.0 ? 0.0 : gate;
    return positive * positive;
  }
  if (activation.kind == Activation::Kind::kSilu) return gate * sigmoid(gate) * up;
  const double infinity = std::numeric_limits<double>::infinity();
  const double limit = activation.limit > 0.0 ? activation.limit : infinity;
  const double g = clamp_to(gate, -infinity, limit);
  return g * sigmoid(activation.alpha * g) * (clamp_to(up, -limit, limit) + activation.beta);
}

Matrix activate_rows(const Activation& activation, const Matrix& gemm1) {
  if (!activation.gated()) {
    return gemm1.unaryExpr([&](double g) { return activate(activation, g, 0.0); });
  }
  if (gemm1.cols() % 2 != 0) {
    throw ContractViolation("activate_rows: a gated activation of width " +
                            std::to_string(gemm1.cols()));
  }
  const Eigen::Index i = gemm1.cols() / 2;
  return gemm1.leftCols(i).binaryExpr(
      gemm1.rightCols(i), [&](double g, double u) { return activate(activation, g, u); });
}

}  // namespace plumbline::ops
