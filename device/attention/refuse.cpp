#include <string>
#include <vector>

#include "device/attention/attention.h"

namespace plumbline::device {
namespace {

constexpr std::int64_t kLargestGrid = 65535;

std::string number(std::string_view name, std::int64_t value) {
  return std::string(name) + " = " + std::to_string(value);
}

std::vector<Wanted> wanted_inputs(const AttentionProblem& p) {
  std::vector<Wanted> wanted;
  if (p.decode) {
    wanted = {{"q", p.io, {p.b, p.hq, p.d}},
              {"k_cache", p.io, {-1, p.page, p.hkv, p.d}},
              {"v_cache", p.io, {-1, p.page, p.hkv, p.d}},
              {"block_table", DType::kI32, {p.b, p.pages()}},
              {"seq_lens", DType::kI32, {p.b}}};
  } else {
    wanted = {{"q", p.io, {-1, p.hq, p.d}},
              {"k", p.io, {-1, p.hkv, p.d}},
              {"v", p.io, {-1, p.hkv, p.d}},
              {"cu_q", DType::kI32, {p.b + 1}},
              {"cu_k", DType::kI32, {p.b + 1}}};
  }
  if (p.has_sinks) wanted.push_back({"sinks", DType::kF32, {p.hq}});
  return wanted;
}

std::optional<Refusal> refuse_sizes(const AttentionProblem& p) {
  if (p.d > kMaxHeadSize) {
    return Refusal{Status::kCapacity, "d <= " + std::to_string(kMaxHeadSize), number("d", p.d)};
  }
  if (p.hq > kLargestGrid || p.b > kLargestGrid) {
    return Refusal{Status::kCapacity, "b and hq <= " + std::to_string(kLargestGrid),
                   number("b", p.b) + ", " + number("hq", p.hq)};
  }
  return std::nullopt;
}

/// Offsets of varlen sequences start at 0, never fall and end at the rows of their tensor.
std::optional<Refusal> refuse_offsets(const TensorViews& inputs, std::string_view name,
                                      std::string_view of) {
  const auto offsets = elements_of<std::int32_t>(inputs, name);
  const std::int64_t rows = inputs.find(of)->second.spec.shape[0];
  bool holds = offsets.front() == 0 && offsets.back() == rows;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) holds &= offsets[s] <= offsets[s + 1];
  if (holds) return std::nullopt;
  return Refusal{Status::kShape,
                 std::string(name) + " rises from 0 to the rows of " + std::string(of),
                 number("first", offsets.front()) + ", " + number("last", offsets.back()) + ", " +
                     number("rows", rows)};
}

std::optional<Refusal> refuse_same_rows(const TensorViews& inputs, std::string_view k,
                                        std::string_view v) {
  const TensorSpec& k_spec = inputs.find(k)->second.spec;
  const TensorSpec& v_spec = inputs.find(v)->second.spec;
  if (k_spec.shape == v_spec.shape) return std::nullopt;
  return Refusal{Status::kShape, std::string(v) + " has the shape of " + std::string(k),
                 k_spec.text() + " and " + v_spec.text()};
}

/// Every page that a sequence uses is in the cache; entries beyond its length are not looked at.
std::optional<Refusal> refuse_pages(const AttentionProblem& p, const TensorViews& inputs) {
  const auto lengths = elements_of<std::int32_t>(inputs, "seq_lens");
  const auto table = elements_of<std::int32_t>(inputs, "block_table");
  const std::int64_t total = inputs.find("k_cache")->second.spec.shape[0];
  for (std::int64_t s = 0; s < p.b; ++s) {
    const std::int64_t length = lengths[s];
    if (length < 0 || length > p.pages() * p.page) {
      return Refusal{Status::kShape, "seq_lens in [0, pages * page]",
                     number("sequence", s) + ", " + number("length", length)};
    }
    for (std::int64_t j = 0; j * p.page < length; ++j) {
      const std::int64_t page = table[s * p.pages() + j];
      if (page >= 0 && page < total) continue;
      return Refusal{
          Status::kShape, "block_table in [0, pages of k_cache) where it is used",
          number("sequence", s) + ", " + number("entry", j) + ", " + number("page", page)};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> refuse_attention(const AttentionProblem& problem,
                                        const TensorViews& inputs) {
  if (auto refusal = refuse_sizes(problem)) return refusal;
  if (auto refusal = check_tensors(wanted_inputs(problem), inputs)) return refusal;
  if (problem.decode) {
    if (auto refusal = refuse_same_rows(inputs, "k_cache", "v_cache")) return refusal;
    return refuse_pages(problem, inputs);
  }
  if (auto refusal = refuse_same_rows(inputs, "k", "v")) return refusal;
  if (auto refusal = refuse_offsets(inputs, "cu_q", "q")) return refusal;
  return refuse_offsets(inputs, "cu_k", "k");
}

}  // namespace plumbline::device
