#include "device/abi/implementation.h"

#include <algorithm>

#include "reference/spec/constraint.h"

namespace plumbline {
namespace {

/// A word as the manifest gives it; a star at its end stands for any rest.
bool word_fits(std::string_view pattern, std::string_view word) {
  if (!pattern.ends_with('*')) return pattern == word;
  return word.starts_with(pattern.substr(0, pattern.size() - 1));
}

bool claims(const OfferedPath& path, const Problem& problem) {
  if (path.op != problem.op) return false;
  return std::all_of(path.axes.begin(), path.axes.end(), [&](const auto& axis) {
    const std::string_view word = problem.axis(axis.first, axis.second.front());
    return std::any_of(axis.second.begin(), axis.second.end(),
                       [&](const std::string& taken) { return word_fits(taken, word); });
  });
}

Refusal not_offered(const std::string& call) {
  return {Status::kUnsupported, "the implementation offers the call " + call, "it does not"};
}

}  // namespace

Answer refused(const Refusal& refusal) {
  Answer answer;
  answer.status = refusal.status;
  answer.message = refusal.text();
  return answer;
}

std::string OfferedPath::broken_constraint(const Problem& problem) const {
  const auto broken = std::find_if(constraints.begin(), constraints.end(),
                                   [&](const std::string& rule) { return !holds(rule, problem); });
  return broken == constraints.end() ? "" : *broken;
}

const OfferedPath* Manifest::path_for(const Problem& problem) const {
  const OfferedPath* claiming = nullptr;
  for (const OfferedPath& path : paths) {
    if (!claims(path, problem)) continue;
    if (path.broken_constraint(problem).empty()) return &path;
    if (claiming == nullptr) claiming = &path;
  }
  return claiming;
}

Answer Implementation::run_observed(const Problem& problem, const TensorViews& inputs,
                                    const TensorViews& outputs, const Observer&) {
  return run(problem, inputs, outputs);
}

Result<QuantRecord> Implementation::pack(const Problem&, const TensorViews&) {
  return not_offered("pack");
}

Answer Implementation::run_packed(const Problem&, const QuantRecord&, const TensorViews&,
                                  const TensorViews&) {
  return refused(not_offered("run_packed"));
}

std::unique_ptr<Method> Implementation::make_method(std::string_view, std::string_view) {
  return nullptr;
}

Result<std::string> Implementation::get_switch(std::string_view) {
  return not_offered("get_switch");
}

std::optional<Refusal> Implementation::set_switch(std::string_view, std::string_view) {
  return not_offered("set_switch");
}

Result<bool> Implementation::ask(std::string_view, std::string_view, std::string_view) {
  return not_offered("ask");
}

}  // namespace plumbline
