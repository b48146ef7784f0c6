#include "conformance/properties/sequences.h"

#include <algorithm>

namespace plumbline::properties {
namespace {

std::vector<std::int32_t> offsets(const Tensors& inputs, std::string_view name) {
  const auto values = inputs.find(name)->second.as<std::int32_t>();
  return {values.begin(), values.end()};
}

/// Rows of the sequences `order`, one after another.
std::vector<std::int64_t> rows_of_sequences(const std::vector<std::int32_t>& offsets,
                                            std::span<const std::int64_t> order) {
  std::vector<std::int64_t> rows;
  for (const std::int64_t s : order) {
    const auto at = static_cast<std::size_t>(s);
    for (std::int64_t row = offsets[at]; row < offsets[at + 1]; ++row) rows.push_back(row);
  }
  return rows;
}

Tensor offsets_in_order(const std::vector<std::int32_t>& offsets,
                        std::span<const std::int64_t> order) {
  Tensor tensor = Tensor::zeros({DType::kI32, {static_cast<std::int64_t>(order.size()) + 1}});
  const auto sums = tensor.as<std::int32_t>();
  for (std::size_t j = 0; j < order.size(); ++j) {
    const auto at = static_cast<std::size_t>(order[j]);
    sums[j + 1] = sums[j] + offsets[at + 1] - offsets[at];
  }
  return tensor;
}

}  // namespace

std::vector<std::int32_t> query_offsets(const AttentionProblem& problem, const Tensors& inputs) {
  if (!problem.decode) return offsets(inputs, "cu_q");
  std::vector<std::int32_t> each;
  for (std::int64_t s = 0; s <= problem.b; ++s) each.push_back(static_cast<std::int32_t>(s));
  return each;
}

Tensors with_sequences(const AttentionProblem& problem, const Tensors& inputs,
                       std::span<const std::int64_t> order) {
  Tensors changed = inputs;
  if (problem.decode) {
    for (const char* name : {"q", "block_table", "seq_lens"}) {
      changed.at(name) = take(inputs.at(name), order);
    }
    return changed;
  }
  const auto cu_q = offsets(inputs, "cu_q");
  const auto cu_k = offsets(inputs, "cu_k");
  const auto keys = rows_of_sequences(cu_k, order);
  changed.at("q") = take(inputs.at("q"), rows_of_sequences(cu_q, order));
  changed.at("k") = take(inputs.at("k"), keys);
  changed.at("v") = take(inputs.at("v"), keys);
  changed.at("cu_q") = offsets_in_order(cu_q, order);
  changed.at("cu_k") = offsets_in_order(cu_k, order);
  return changed;
}

Tensors query_rows(const Tensors& outputs, std::span<const std::int64_t> rows) {
  Tensors taken;
  for (const auto& [name, tensor] : outputs)
    taken[name] = take(tensor, rows, name == "lse" ? 1 : 0);
  return taken;
}

Tensors outputs_of_sequences(const AttentionProblem& problem, const Tensors& inputs,
                             const Tensors& outputs, std::span<const std::int64_t> order) {
  return query_rows(outputs, rows_of_sequences(query_offsets(problem, inputs), order));
}

Problem with_axis(const Problem& problem, std::string_view name, std::string_view word) {
  Problem changed = problem;
  changed.set_axis(name, word);
  return changed;
}

Problem with_dim(const Problem& problem, std::string_view name, std::int64_t value) {
  Problem changed = problem;
  changed.set_dim(name, value);
  return changed;
}

Problem without_dim(const Problem& problem, std::string_view name) {
  Problem changed = problem;
  std::erase_if(changed.dims, [&](const auto& dim) { return dim.first == name; });
  return changed;
}

}  // namespace plumbline::properties
