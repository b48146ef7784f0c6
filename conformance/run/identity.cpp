#include "conformance/run/identity.h"

#include <exception>
#include <set>
#include <string>

#include "reference/spec/identity.h"
#include "reference/spec/problems.h"

namespace plumbline::run {
namespace {

using judge::Judgement;
using judge::verdict;

constexpr std::string_view kLane = "identity";

/// A name that several types have is asked once.
std::set<std::string_view> every_predicate() {
  std::set<std::string_view> names;
  for (const TaggedType& type : all_tagged_types()) {
    names.insert(type.predicates.begin(), type.predicates.end());
  }
  return names;
}

std::string words(const IdentityProblem& p, std::string_view predicate) {
  return std::string(predicate) + " of the " + p.type + " " + p.value;
}

Judgement judge_foreign(const Result<bool>& answer, const std::string& question) {
  if (answer) {
    return verdict(Verdict::kWronglyAccepted, kLane,
                   question + " is " + (*answer ? "true" : "false") +
                       ": the type has no such predicate, it must be refused");
  }
  if (answer.refusal().status != Status::kUnsupported) {
    return verdict(Verdict::kWrongClass, kLane,
                   question + " was refused with " + std::string(name_of(answer.refusal().status)) +
                       ", not unsupported");
  }
  return verdict(Verdict::kPass, kLane, "");
}

Judgement judge_own(const Result<bool>& answer, bool expected, const std::string& question) {
  if (!answer) {
    return verdict(Verdict::kWronglyRefused, kLane,
                   question + " was refused: " + answer.refusal().text());
  }
  if (*answer != expected) {
    return verdict(Verdict::kFail, kLane, question + " must be " + (expected ? "true" : "false"));
  }
  return verdict(Verdict::kPass, kLane, "");
}

}  // namespace

std::vector<Judgement> judge_identity(const Case& test_case, Implementation& implementation) {
  const IdentityProblem p = *IdentityProblem::from(test_case.problem);
  const TaggedType& type = *find_tagged_type(p.type);
  const TaggedValue& value = *type.value(p.value);
  std::vector<Judgement> judgements;
  std::size_t asked = 0;
  try {
    for (const std::string_view predicate : every_predicate()) {
      const Result<bool> answer = implementation.ask(p.type, predicate, p.value);
      const std::string question = words(p, predicate);
      Judgement judged = type.has_predicate(predicate)
                             ? judge_own(answer, value.holds_of(predicate), question)
                             : judge_foreign(answer, question);
      ++asked;
      if (judged.verdict != Verdict::kPass) judgements.push_back(std::move(judged));
    }
  } catch (const std::exception& error) {
    return {verdict(Verdict::kCrash, "crash", error.what())};
  }
  if (judgements.empty()) {
    judgements.push_back(
        verdict(Verdict::kPass, kLane, std::to_string(asked) + " predicates answer as they must"));
  }
  return judgements;
}

}  // namespace plumbline::run
