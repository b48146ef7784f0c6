#include <algorithm>
#include <array>

#include "reference/spec/fields.h"
#include "reference/spec/identity.h"
#include "reference/spec/problems.h"

namespace plumbline {
namespace {

using spec::Fields;
using spec::wrong_operation;

constexpr auto kCheckpoints = std::to_array<std::string_view>({"split", "fused", "online"});
constexpr auto kLibraries =
    std::to_array<std::string_view>({"present", "absent", "missing_symbol"});
constexpr auto kCalls = std::to_array<std::string_view>(
    {"weights", "load", "runner", "process", "apply", "int4:yes", "int4:no"});
constexpr std::string_view kSwitch = "switch:";
constexpr std::string_view kOwnBackend = "{backend}";
constexpr std::int64_t kWeightBlock = 128;

template <class Words>
bool one_of(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_backend(std::string_view word) {
  return find_tagged_type("runner_backend")->value(word) != nullptr;
}

bool is_call(std::string_view word) {
  if (one_of(kCalls, word)) return true;
  return word.starts_with(kSwitch) && is_backend(word.substr(kSwitch.size()));
}

std::vector<std::string> split_at_dots(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t dot = std::min(text.find('.', at), text.size());
    words.emplace_back(text.substr(at, dot - at));
    at = dot + 1;
  }
  return words;
}

void read_layer(ExpertsProblem& layer, Fields& in) {
  layer.backend = in.axis("backend", layer.backend);
  layer.quant = in.axis("quant", layer.quant);
  in.take(layer.activation, Activation::from(in.axis("act", "silu")));
  in.io_type(layer.io, "io", {DType::kBf16, DType::kF16, DType::kF32});
  in.dim(layer.t, "t", 0);
  in.dim(layer.h, "h");
  in.dim(layer.i, "i");
  in.dim(layer.e, "e");
  in.dim(layer.k, "k");
  if (!is_backend(layer.backend)) {
    in.refuse("backend is one of `plumbline list backends` or auto", layer.backend);
  }
  if (!quant_from_name(layer.quant)) {
    in.refuse("quant is one of `plumbline list quants`", layer.quant);
  }
  in.check(layer.k <= layer.e, "k <= e", std::to_string(layer.k));
  // The scales of w1 and w3 are whole blocks, or they could not be told apart in w13's.
  const bool blocked = layer.quant.starts_with("fp8_block128");
  in.check(!blocked || layer.i % kWeightBlock == 0, "i % 128 == 0", std::to_string(layer.i));
}

void read_calls(MethodProblem& p, Fields& in) {
  p.calls = in.axis("calls", p.calls);
  if (p.calls == "standard") return;
  for (const std::string& word : split_at_dots(p.calls)) {
    if (!is_call(word)) {
      in.refuse("calls are weights, load, runner, process, apply, switch:BACKEND, int4:yes|no",
                word);
    }
  }
}

}  // namespace

std::vector<std::string> MethodProblem::call_words() const {
  if (calls != "standard") return split_at_dots(calls);
  const Ownership* row = find_ownership(ownership);
  std::vector<std::string> words = split_at_dots(row == nullptr ? "" : row->calls);
  for (std::string& word : words) {
    const std::size_t at = word.find(kOwnBackend);
    if (at != std::string::npos) word.replace(at, kOwnBackend.size(), layer.backend);
  }
  return words;
}

Result<MethodProblem> MethodProblem::from(const Problem& problem) {
  if (const auto refusal = wrong_operation(problem, "moe.method")) return *refusal;
  MethodProblem p;
  Fields in(problem);
  read_layer(p.layer, in);
  p.ownership = in.axis("ownership", p.ownership);
  if (find_ownership(p.ownership) == nullptr) {
    in.refuse("ownership is one of `plumbline list axes`", p.ownership);
  }
  p.checkpoint = in.axis("load", p.checkpoint);
  if (!one_of(kCheckpoints, p.checkpoint)) {
    in.refuse("load is split, fused or online", p.checkpoint);
  }
  p.lightop = in.axis("lightop", p.lightop);
  if (!one_of(kLibraries, p.lightop)) {
    in.refuse("lightop is present, absent or missing_symbol", p.lightop);
  }
  read_calls(p, in);
  if (const auto refusal = in.outcome()) return *refusal;
  return p;
}

Problem MethodProblem::to_problem() const {
  return {"moe.method",
          {{"backend", layer.backend},
           {"quant", layer.quant},
           {"ownership", ownership},
           {"act", layer.activation.text()},
           {"io", std::string(name_of(layer.io))},
           {"load", checkpoint},
           {"lightop", lightop},
           {"calls", calls}},
          {{"t", layer.t}, {"h", layer.h}, {"i", layer.i}, {"e", layer.e}, {"k", layer.k}}};
}

Result<IdentityProblem> IdentityProblem::from(const Problem& problem) {
  if (const auto refusal = wrong_operation(problem, "moe.identity")) return *refusal;
  IdentityProblem p;
  Fields in(problem);
  p.type = in.axis("type", "runner_backend");
  p.value = in.axis("value", "");
  std::int64_t values = 1;
  in.dim(values, "n");
  in.check(values == 1, "n == 1", std::to_string(values));
  const TaggedType* type = find_tagged_type(p.type);
  if (type == nullptr) {
    in.refuse("type is one of `plumbline list axes`", p.type);
  } else if (type->value(p.value) == nullptr) {
    in.refuse("value is one of the type " + p.type, p.value);
  }
  if (const auto refusal = in.outcome()) return *refusal;
  return p;
}

Problem IdentityProblem::to_problem() const {
  return {"moe.identity", {{"type", type}, {"value", value}}, {{"n", 1}}};
}

}  // namespace plumbline
