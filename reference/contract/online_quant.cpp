#include "reference/contract/online_quant.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "reference/formats/codec.h"
#include "reference/spec/ids.h"
#include "reference/spec/status.h"

namespace plumbline::contract {
namespace {

constexpr double kLargestInt8 = 127.0;
constexpr double kLargestE4m3 = 448.0;

QuantScheme scheme_of(std::string_view quant) {
  const auto scheme = quant_from_name(quant);
  const bool known = scheme && scheme->scale == DType::kF32 &&
                     (scheme->weight_scale == Granularity::kChannel ||
                      scheme->weight_scale == Granularity::kBlock);
  if (!known) throw ContractViolation("no online quantisation to " + std::string(quant));
  return *scheme;
}

/// How a weight [e, rows, k] falls into blocks that share a scale.
struct Blocks {
  std::int64_t rows, k, tall, wide;

  std::int64_t down() const { return (rows + tall - 1) / tall; }
  std::int64_t across() const { return (k + wide - 1) / wide; }
  /// The block of an element, by its place in memory.
  std::size_t of(std::size_t element) const {
    const auto at = static_cast<std::int64_t>(element);
    const std::int64_t row = at / k % rows;
    const std::int64_t expert = at / k / rows;
    return static_cast<std::size_t>((expert * down() + row / tall) * across() + at % k / wide);
  }
};

Blocks blocks_of(const QuantScheme& scheme, const Tensor& weight) {
  const std::int64_t k = weight.spec.shape[2];
  const bool blocked = scheme.weight_scale == Granularity::kBlock;
  return {weight.spec.shape[1], k, blocked ? scheme.weight_block : 1,
          blocked ? scheme.weight_block : k};
}

}  // namespace

QuantisedWeight quantise_online(const Tensor& weight, std::string_view quant) {
  const QuantScheme scheme = scheme_of(quant);
  const Blocks blocks = blocks_of(scheme, weight);
  const std::int64_t e = weight.spec.shape[0];
  const double largest = scheme.weight == DType::kI8 ? kLargestInt8 : kLargestE4m3;
  std::vector<double> value = formats::decode(weight);
  std::vector<double> scale(static_cast<std::size_t>(e * blocks.down() * blocks.across()), 0.0);
  for (std::size_t n = 0; n < value.size(); ++n) {
    double& most = scale[blocks.of(n)];
    most = std::max(most, std::abs(value[n]));
  }
  for (double& s : scale) {
    s = s == 0.0 ? 1.0 : static_cast<float>(s) / static_cast<float>(largest);
  }
  for (std::size_t n = 0; n < value.size(); ++n) {
    const float quotient = static_cast<float>(value[n]) / static_cast<float>(scale[blocks.of(n)]);
    value[n] = std::clamp(static_cast<double>(quotient), -largest, largest);
  }
  std::vector<std::int64_t> shape = {e, blocks.down()};
  if (scheme.weight_scale == Granularity::kBlock) shape.push_back(blocks.across());
  return {formats::encode({scheme.weight, weight.spec.shape}, value),
          formats::encode({DType::kF32, shape}, scale)};
}

}  // namespace plumbline::contract
