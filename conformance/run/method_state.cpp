#include "conformance/run/method_state.h"

#include <algorithm>
#include <array>
#include <utility>

namespace plumbline::run {
namespace {

using contract::LayerState;
using contract::MethodExpectation;

constexpr std::string_view kParameter = "gemm1_";

std::optional<std::string> wrong_parameter(const std::string& name,
                                           const std::optional<double>& expected,
                                           const MethodState& state, std::int64_t experts) {
  const auto found = state.layer.find(name);
  if (!expected) {
    if (found == state.layer.end()) return std::nullopt;
    return name + " is on the layer and must be absent";
  }
  if (found == state.layer.end()) return name + " is absent and must be on the layer";
  const TensorSpec wanted{DType::kF32, {experts}};
  if (found->second.spec != wanted) {
    return name + " is " + found->second.spec.text() + ", expected " + wanted.text();
  }
  const auto value = static_cast<float>(*expected);
  const auto entries = found->second.as<float>();
  if (std::all_of(entries.begin(), entries.end(), [&](float entry) { return entry == value; })) {
    return std::nullopt;
  }
  return name + " must be " + std::to_string(value) + " for every expert";
}

std::optional<std::string> wrong_parameters(const MethodExpectation& expected,
                                            const MethodState& state, std::int64_t experts) {
  const std::array<std::pair<const char*, std::optional<double>>, 3> all = {{
      {"gemm1_alpha", expected.parameters.alpha},
      {"gemm1_beta", expected.parameters.beta},
      {"gemm1_clamp_limit", expected.parameters.clamp_limit},
  }};
  for (const auto& [name, value] : all) {
    if (auto wrong = wrong_parameter(name, value, state, experts)) return wrong;
  }
  for (const auto& [name, tensor] : state.layer) {
    const auto is_it = [&name = name](const auto& known) { return known.first == name; };
    if (name.starts_with(kParameter) && std::none_of(all.begin(), all.end(), is_it)) {
      return "\"" + name + "\" is on the layer: no name of the contract";
    }
  }
  return std::nullopt;
}

/// Empty tensors of the right names and types where the values have not been loaded yet.
std::optional<std::string> wrong_names(const Tensors& expected, const Tensors& got) {
  for (const auto& [name, tensor] : got) {
    const auto found = expected.find(name);
    if (found == expected.end()) return "\"" + name + "\" is on the layer: no name of the contract";
    if (found->second.spec != tensor.spec) {
      return name + " is " + tensor.spec.text() + ", expected " + found->second.spec.text();
    }
  }
  for (const auto& [name, tensor] : expected) {
    if (!got.contains(name)) return name + " is not on the layer";
  }
  return std::nullopt;
}

}  // namespace

Tensors weights_on(const Tensors& layer) {
  Tensors weights;
  for (const auto& [name, tensor] : layer) {
    if (!name.starts_with(kParameter)) weights[name] = tensor;
  }
  return weights;
}

std::optional<std::string> difference(const Tensors& expected, const Tensors& got) {
  if (auto wrong = wrong_names(expected, got)) return wrong;
  for (const auto& [name, tensor] : expected) {
    if (got.find(name)->second.data != tensor.data) return name + " has other bits";
  }
  return std::nullopt;
}

std::optional<std::string> wrong_state(const MethodExpectation& expected, const MethodState& state,
                                       const LayerReference& reference) {
  if (state.owns_runner != expected.owns) {
    return std::string("the ownership flag is ") + (state.owns_runner ? "set" : "not set") +
           " and must " + (expected.owns ? "be" : "not be");
  }
  if (state.runner_backend != expected.runner) {
    return "the runner is \"" + state.runner_backend + "\", expected \"" + expected.runner + "\"";
  }
  if (auto wrong = wrong_parameters(expected, state, reference.experts)) return wrong;
  const Tensors weights = weights_on(state.layer);
  switch (expected.layer) {
    case LayerState::kEmpty:
      return wrong_names({}, weights);
    case LayerState::kPlain:
      return expected.loaded ? difference(reference.plain, weights)
                             : wrong_names(reference.plain, weights);
    case LayerState::kPacked:
      break;
  }
  return difference(reference.packed ? weights_on(*reference.packed) : reference.plain, weights);
}

}  // namespace plumbline::run
