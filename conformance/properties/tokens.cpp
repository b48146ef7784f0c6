#include "conformance/properties/tokens.h"

#include <algorithm>
#include <array>

namespace plumbline::properties {

std::int64_t token_count(const Problem& problem) {
  return problem.op == "moe.route" ? described<RouteProblem>(problem).t
                                   : described<ExpertsProblem>(problem).t;
}

Problem with_token_count(const Problem& problem, std::int64_t tokens) {
  Problem changed = problem;
  changed.set_dim("t", tokens);
  return changed;
}

Tensors with_tokens(const Tensors& inputs, std::span<const std::int64_t> rows) {
  constexpr std::array<std::string_view, 4> kPerToken = {"x", "topk_ids", "topk_weights",
                                                         "router_logits"};
  Tensors changed = inputs;
  for (auto& [name, tensor] : changed) {
    if (std::find(kPerToken.begin(), kPerToken.end(), name) != kPerToken.end()) {
      tensor = take(tensor, rows);
    }
  }
  return changed;
}

Tensors rows_of(const Tensors& outputs, std::span<const std::int64_t> rows) {
  Tensors taken;
  for (const auto& [name, tensor] : outputs) taken[name] = take(tensor, rows);
  return taken;
}

std::vector<std::int32_t> integers_of(const Tensors& tensors, std::string_view name) {
  const auto found = tensors.find(name);
  if (found == tensors.end()) throw ContractViolation("no tensor " + std::string(name));
  const auto values = found->second.as<std::int32_t>();
  return {values.begin(), values.end()};
}

std::vector<std::int64_t> unused_experts(const ExpertsProblem& problem, const Tensors& inputs) {
  const std::vector<std::int32_t> ids = integers_of(inputs, "topk_ids");
  std::vector<std::int64_t> unused;
  for (std::int64_t expert = 0; expert < problem.e; ++expert) {
    if (std::find(ids.begin(), ids.end(), expert) == ids.end()) unused.push_back(expert);
  }
  return unused;
}

}  // namespace plumbline::properties
