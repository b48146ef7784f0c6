#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reference/spec/format.h"

namespace plumbline {

/// The calibrated view of an output, lane S, for random-like data only. A device errs by a fixed
/// part and a random one; under the model that rounding errors are independent in the mean with
/// mean zero (a model, not a theorem about hardware), |got − value| ≤ fixed + λ·sigma but for a
/// chance of 2·exp(−λ²/2) an element, λ = kLambda.
struct Calibrated {
  std::vector<double> value;   ///< nominal: every declared rounding taken to nearest
  std::vector<double> radius;  ///< fixed + λ·sigma, and never beyond what lane W admits
  std::vector<double> fixed;   ///< systematic errors, the last half ulp, the reference's own error
  std::vector<double> sigma;   ///< root of the sub-Gaussian variance proxy of the random part
  std::vector<double> variance;  ///< expected variance of got − value, last rounding included

  static constexpr double kLambda = 8;
};

/// What is right for one output: per element a value and the radius that is still right. The radius
/// already holds the rounding to `dtype` and the reference's own error. NaN means NaN is expected;
/// infinities must be met exactly; a radius of 0 asks for the very value.
struct Expected {
  DType dtype = DType::kF32;
  std::vector<std::int64_t> shape;
  std::vector<double> value;
  std::vector<double> radius;
  std::optional<Calibrated> calibrated =
      std::nullopt;  ///< where the operation has a calibrated bound
};

using ExpectedTensors = std::map<std::string, Expected, std::less<>>;

}  // namespace plumbline
