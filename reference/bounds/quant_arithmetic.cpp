#include "reference/bounds/quant_arithmetic.h"

#include <algorithm>
#include <cmath>

#include "reference/formats/codec.h"

namespace plumbline::bounds {
namespace {

constexpr float kSmallestAmax = 1e-10F;
/// Two ulp of fp32, relative: what a fast division may err by.
constexpr double kFastDivision = 0x1p-22;

float scale_of(float amax, const DynamicQuant& quant) {
  if (quant.arithmetic.scale == ScaleDivision::kDivide) return amax / quant.largest();
  return amax * (1.0F / quant.largest());
}

double quotient(double value, double factor, const QuantStep& step, const DynamicQuant& quant) {
  const float q =
      step.divides ? static_cast<float>(value) / step.scale : static_cast<float>(value * factor);
  return std::clamp(q, -quant.largest(), quant.largest());
}

}  // namespace

QuantStep quant_step(double amax, const DynamicQuant& quant) {
  const float magnitude = std::max(static_cast<float>(amax), kSmallestAmax);
  QuantStep step;
  step.scale = scale_of(magnitude, quant);
  const Quotient rule = quant.arithmetic.quotient;
  step.divides = rule == Quotient::kDivide;
  if (step.divides) return step;
  if (rule == Quotient::kReciprocal) {
    step.low = step.high = 1.0F / step.scale;
    return step;
  }
  const double factor = rule == Quotient::kApproximateAmax
                            ? static_cast<double>(quant.largest()) / magnitude
                            : 1.0 / static_cast<double>(step.scale);
  step.low = factor * (1 - kFastDivision);
  step.high = factor * (1 + kFastDivision);
  return step;
}

double quotient_low(double value, const QuantStep& step, const DynamicQuant& quant) {
  return quotient(value, value < 0 ? step.high : step.low, step, quant);
}

double quotient_high(double value, const QuantStep& step, const DynamicQuant& quant) {
  return quotient(value, value < 0 ? step.low : step.high, step, quant);
}

double code_of(double quotient, const DynamicQuant& quant) {
  if (!std::isfinite(quotient)) return quotient;
  if (quant.code != DType::kI8) return formats::round_to(quant.code, quotient);
  return quant.arithmetic.ties == IntegerTies::kAway ? std::round(quotient)
                                                     : std::nearbyint(quotient);
}

}  // namespace plumbline::bounds
