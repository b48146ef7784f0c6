#include "device/moe/dispatch.h"

#include <algorithm>
#include <string>

#include "device/faults/fault.h"
#include "device/moe/layer.h"

namespace plumbline::device {
namespace {

/// The path of that name, whatever the predicates say.
const ExpertPath* named_path(const ExpertsProblem& p) {
  for (const ExpertPath* path : all_expert_paths()) {
    if (path->backend == p.backend && path->quant == p.quant && path->pack == p.pack) return path;
  }
  return nullptr;
}

/// Words that a path takes on an axis.
bool takes(const OfferedPath& path, std::string_view axis, const std::string& word) {
  for (const auto& [name, words] : path.axes) {
    if (name != axis) continue;
    return std::any_of(words.begin(), words.end(), [&](const std::string& taken) {
      if (!taken.ends_with('*')) return taken == word;
      return word.starts_with(taken.substr(0, taken.size() - 1));
    });
  }
  return true;
}

std::optional<Refusal> refuse_axes(const OfferedPath& path, const ExpertsProblem& p) {
  if (!takes(path, "io", std::string(name_of(p.io)))) {
    return Refusal{Status::kDtype, "io is bf16", "io = " + std::string(name_of(p.io))};
  }
  const Problem problem = p.to_problem();
  for (const auto& [axis, words] : path.axes) {
    const std::string word(problem.axis(axis, words.front()));
    if (takes(path, axis, word)) continue;
    std::string rule = path.name;
    rule.append(" takes ").append(axis).append(" = ");
    for (const std::string& taken : words) {
      rule.append(taken == words.front() ? "" : " or ").append(taken);
    }
    return Refusal{Status::kUnsupported, rule, std::string(axis).append(" = ").append(word)};
  }
  return std::nullopt;
}

Refusal not_offered(const ExpertsProblem& p) {
  std::string rule = "backend, quant and pack are one of";
  for (const ExpertPath* path : all_expert_paths()) rule += " " + std::string(path->name);
  return {Status::kUnsupported, rule, p.backend + "/" + p.quant + ", pack = " + p.pack};
}

std::vector<Wanted> wanted_inputs(const ExpertsProblem& p) {
  std::vector<Wanted> wanted = wanted_weights(p);
  for (Wanted& w : wanted_routing(p)) wanted.push_back(w);
  return wanted;
}

}  // namespace

const ExpertPath& select_path(const ExpertsProblem& p, const identity::Table& identities) {
  const ExpertPath* fallback = nullptr;
  for (const ExpertPath* path : all_expert_paths()) {
    if (path->quant != p.quant) continue;
    if (path->backend == "triton") fallback = path;
    if (path->pack != p.pack) continue;
    const std::string predicate = "is_" + std::string(path->backend);
    const Result<bool> chosen = identities.ask("runner_backend", predicate, p.backend);
    if (chosen && *chosen) return *path;
  }
  return *fallback;
}

std::optional<Refusal> refuse_layer(const ExpertsProblem& p, std::string_view library) {
  const ExpertPath* path = named_path(p);
  if (!path) return not_offered(p);
  const OfferedPath offer = path->offer();
  if (auto refusal = refuse_axes(offer, p)) return refusal;
  if (path->refuse_library) {
    if (auto refusal = path->refuse_library(library)) return refusal;
  }
  if (auto refusal = refuse_sizes(p, offer.constraints)) return refusal;
  return path->refuse(p);
}

std::optional<Refusal> refuse_experts(const ExpertsProblem& p, const TensorViews& inputs,
                                      std::string_view library) {
  if (auto refusal = refuse_layer(p, library)) return refusal;
  if (auto refusal = check_tensors(wanted_inputs(p), inputs)) return refusal;
  return refuse_ids(p, inputs);
}

std::optional<Refusal> refuse_weights(const ExpertsProblem& p, const TensorViews& weights,
                                      std::string_view library) {
  if (auto refusal = refuse_layer(p, library)) return refusal;
  return check_tensors(wanted_weights(p), weights);
}

std::optional<Refusal> refuse_packed(const ExpertsProblem& p, const QuantRecord& record,
                                     const TensorViews& inputs, std::string_view library) {
  if (auto refusal = refuse_layer(p, library)) return refusal;
  if (auto refusal = named_path(p)->refuse_record(p, record)) return refusal;
  if (auto refusal = check_tensors(wanted_routing(p), inputs)) return refusal;
  return refuse_ids(p, inputs);
}

QuantRecord pack_for(const ExpertPath& path, const ExpertsProblem& p, const TensorViews& inputs,
                     const Fault* fault) {
  TensorViews weights;
  for (const Wanted& wanted : wanted_weights(p)) {
    weights[std::string(wanted.name)] = inputs.find(wanted.name)->second;
  }
  QuantRecord record = path.pack_weights(p, weights);
  if (fault && fault->packed) fault->packed(p, weights, record);
  return record;
}

}  // namespace plumbline::device
