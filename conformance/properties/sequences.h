#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "conformance/properties/trial.h"

/// Steps of the relations over sequences of attention.prefill and attention.decode.
namespace plumbline::properties {

/// Offsets of b sequences: cu_q of prefill, 0 … b of decode.
std::vector<std::int32_t> query_offsets(const AttentionProblem& problem, const Tensors& inputs);

/// The sequences `order` of the given inputs, in that order; pages of decode stay where they are.
/// The problem that goes with it has order.size() sequences.
Tensors with_sequences(const AttentionProblem& problem, const Tensors& inputs,
                       std::span<const std::int64_t> order);

/// Output rows that belong to the sequences `order`, in that order: rows of "out", columns of
/// "lse".
Tensors outputs_of_sequences(const AttentionProblem& problem, const Tensors& inputs,
                             const Tensors& outputs, std::span<const std::int64_t> order);

/// The rows `rows` of "out" and the columns `rows` of "lse".
Tensors query_rows(const Tensors& outputs, std::span<const std::int64_t> rows);

/// The same problem with one axis or dimension changed.
Problem with_axis(const Problem& problem, std::string_view name, std::string_view word);
Problem with_dim(const Problem& problem, std::string_view name, std::int64_t value);
/// The same problem without a dimension.
Problem without_dim(const Problem& problem, std::string_view name);

}  // namespace plumbline::properties
