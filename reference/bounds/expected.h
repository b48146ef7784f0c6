#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "reference/spec/format.h"

namespace plumbline {

/// What is right for one output: per element a value and the radius that is still right. The radius
/// already holds the rounding to `dtype` and the reference's own error. NaN means NaN is expected;
/// infinities must be met exactly; a radius of 0 asks for the very value.
struct Expected {
  DType dtype = DType::kF32;
  std::vector<std::int64_t> shape;
  std::vector<double> value;
  std::vector<double> radius;
};

using ExpectedTensors = std::map<std::string, Expected, std::less<>>;

}  // namespace plumbline
