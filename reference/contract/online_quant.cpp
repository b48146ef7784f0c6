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

}  // namespace

QuantisedWeight quantise_online(const Tensor& weight, std::string_view quant) {
  const QuantScheme scheme = scheme_of(quant);
  const std::int64_t e = weight.spec.shape[0];
  const std::int64_t rows = weight.spec.shape[1];
  const std::int64_t k = weight.spec.shape[2];
  const bool blocked = scheme.weight_scale == Granularity::kBlock;
  const std::int64_t tall = blocked ? scheme.weight_block : 1;
  const std::int64_t wide = blocked ? scheme.weight_block : k;
  const std::int64_t down = (rows + tall - 1) / tall;
  const std::int64_t across = (k + wide - 1) / wide;
  const double largest = scheme.weight == DType::kI8 ? kLargestInt8 : kLargestE4m3;

  const std::vector<double> value = formats::decode(weight);
  std::vector<double> absmax(static_cast<std::size_t>(e * down * across), 0.0);
  const auto block_of = [&](std::int64_t at) {
    const std::int64_t row = at / k % rows;
    return static_cast<std::size_t>((at / k / rows * down + row / tall) * across + at % k / wide);
  };
  const auto count = static_cast<std::int64_t>(value.size());
  for (std::int64_t at = 0; at < count; ++at) {
    double& most = absmax[block_of(at)];
    most = std::max(most, std::abs(value[static_cast<std::size_t>(at)]));
  }
  std::vector<double> scale(absmax.size());
  std::transform(absmax.begin(), absmax.end(), scale.begin(), [&](double most) {
    const float quotient = static_cast<float>(most) / static_cast<float>(largest);
    return most == 0.0 ? 1.0 : static_cast<double>(quotient);
  });
  std::vector<double> scaled(value.size());
  for (std::int64_t at = 0; at < count; ++at) {
    const auto n = static_cast<std::size_t>(at);
    scaled[n] = static_cast<float>(value[n]) / static_cast<float>(scale[block_of(at)]);
    scaled[n] = std::clamp(scaled[n], -largest, largest);
  }
  std::vector<std::int64_t> shape = {e, down};
  if (blocked) shape.push_back(across);
  return {formats::encode({scheme.weight, weight.spec.shape}, scaled),
          formats::encode({DType::kF32, shape}, scale)};
}

}  // namespace plumbline::contract
