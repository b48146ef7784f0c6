#include "conformance/run/checkpoint.h"

#include <algorithm>

#include "reference/contract/online_quant.h"

namespace plumbline::run {
namespace {

/// Rows [first, first + rows) of one expert of a tensor [e, rows, …].
Tensor rows_of(const Tensor& whole, std::int64_t expert, std::int64_t first, std::int64_t rows) {
  Tensor part;
  part.spec = whole.spec;
  part.spec.shape.erase(part.spec.shape.begin());
  part.spec.shape[0] = rows;
  const std::int64_t all = whole.spec.shape[1];
  const std::int64_t row_bytes = whole.spec.bytes() / (whole.spec.shape[0] * all);
  const auto begin = whole.data.begin() + (expert * all + first) * row_bytes;
  part.data.assign(begin, begin + rows * row_bytes);
  return part;
}

/// One expert's part of a weight or scale: w2 as it is, w13 as w1 and w3.
void split_expert(const std::string& name, const Tensor& whole, std::int64_t expert,
                  std::vector<SavedTensor>& into) {
  const std::int64_t rows = whole.spec.shape[1];
  if (name.starts_with("w2")) {
    into.push_back({name, expert, rows_of(whole, expert, 0, rows)});
    return;
  }
  const std::string suffix = name.ends_with("_scale") ? "_scale" : "";
  into.push_back({"w1" + suffix, expert, rows_of(whole, expert, 0, rows / 2)});
  into.push_back({"w3" + suffix, expert, rows_of(whole, expert, rows / 2, rows - rows / 2)});
}

void split(const Tensors& saved, std::int64_t experts, std::vector<SavedTensor>& into) {
  for (std::int64_t expert = 0; expert < experts; ++expert) {
    for (const auto& [name, tensor] : saved) split_expert(name, tensor, expert, into);
  }
}

}  // namespace

Checkpoint make_checkpoint(const MethodProblem& problem, const Tensors& inputs) {
  Checkpoint checkpoint;
  for (const char* name : {"w13", "w2", "w13_scale", "w2_scale"}) {
    if (const auto it = inputs.find(name); it != inputs.end()) checkpoint.plain.insert(*it);
  }
  if (problem.checkpoint == "fused") {
    for (const auto& [name, tensor] : checkpoint.plain) {
      checkpoint.saved.push_back({name, -1, tensor});
    }
    return checkpoint;
  }
  split(checkpoint.plain, problem.layer.e, checkpoint.saved);
  if (problem.checkpoint != "online" || problem.layer.quant == "bf16") return checkpoint;
  for (const char* name : {"w13", "w2"}) {
    auto quantised = contract::quantise_online(checkpoint.plain[name], problem.layer.quant);
    checkpoint.plain[name] = std::move(quantised.codes);
    checkpoint.plain[std::string(name) + "_scale"] = std::move(quantised.scale);
  }
  return checkpoint;
}

}  // namespace plumbline::run
