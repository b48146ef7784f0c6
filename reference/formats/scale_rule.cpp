#include "reference/formats/scale_rule.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/formats/codec.h"

namespace plumbline::formats {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr float kSmallestAmax = 1e-10F;
constexpr int kLastE8m0Exponent = 127;

/// Whether fp32 holds it, so that the conversion is defined.
bool is_magnitude(double amax) {
  return amax >= 0.0 && amax <= static_cast<double>(std::numeric_limits<float>::max());
}

double quotient(double amax, double largest) {
  return std::max(static_cast<float>(amax), kSmallestAmax) / static_cast<float>(largest);
}

double power_of_two(int exponent) {
  return std::ldexp(1.0, std::clamp(exponent, -kLastE8m0Exponent, kLastE8m0Exponent));
}

double e8m0_floor(double amax, double largest) {
  if (amax == 0.0) return power_of_two(-kLastE8m0Exponent);
  return power_of_two(std::ilogb(amax) - std::ilogb(largest));
}

double e8m0_ceil(double at_least) {
  int exponent = 0;
  const bool is_power = std::frexp(at_least, &exponent) == 0.5;
  return power_of_two(is_power ? exponent - 1 : exponent);
}

double nvfp4(const ScaleForm& form, double amax, double global) {
  const float unscaled = static_cast<float>(amax) / static_cast<float>(form.largest);
  const float scale = unscaled / static_cast<float>(global);
  return std::max(round_to(form.scale, scale, Overflow::kSaturate), decode(form.scale, 1));
}

}  // namespace

double scale_from_amax(const ScaleForm& form, double amax, double global) {
  if (form.rule == ScaleRule::kNone) return 1.0;
  if (!is_magnitude(amax)) return kNan;
  switch (form.rule) {
    case ScaleRule::kE8m0Floor:
      return e8m0_floor(amax, form.largest);
    case ScaleRule::kE8m0Ceil:
      return e8m0_ceil(quotient(amax, form.largest));
    case ScaleRule::kNvfp4:
      return is_magnitude(global) && global > 0.0 ? nvfp4(form, amax, global) : kNan;
    default:
      return round_to(form.scale, quotient(amax, form.largest));
  }
}

double global_scale_from_amax(const ScaleForm& form, double amax) {
  if (form.rule != ScaleRule::kNvfp4) return 1.0;
  if (!is_magnitude(amax)) return kNan;
  return quotient(amax, form.largest * format_of(form.scale).max_finite());
}

}  // namespace plumbline::formats
