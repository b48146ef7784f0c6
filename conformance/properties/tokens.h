#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "conformance/properties/trial.h"

/// Steps of the relations over tokens of moe.route and moe.experts.
namespace plumbline::properties {

/// Tokens of a problem of domain moe.
std::int64_t token_count(const Problem& problem);
/// The same problem with `tokens` tokens.
Problem with_token_count(const Problem& problem, std::int64_t tokens);

/// Row j of every per-token input becomes row rows[j] of what was given; the rest stays.
Tensors with_tokens(const Tensors& inputs, std::span<const std::int64_t> rows);
/// The same of outputs, all of which have one row a token.
Tensors rows_of(const Tensors& outputs, std::span<const std::int64_t> rows);

/// topk_ids or another tensor of 32-bit integers, as values.
std::vector<std::int32_t> integers_of(const Tensors& tensors, std::string_view name);
/// Experts 0 … e − 1 that no token chose, ascending.
std::vector<std::int64_t> unused_experts(const ExpertsProblem& problem, const Tensors& inputs);

}  // namespace plumbline::properties
