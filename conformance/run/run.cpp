#include "conformance/run/run.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "conformance/inputs/generator.h"
#include "conformance/properties/relations.h"
#include "conformance/run/call.h"
#include "conformance/run/identity.h"
#include "conformance/run/method.h"
#include "reference/bounds/evaluate.h"
#include "reference/bounds/route.h"
#include "reference/spec/problems.h"

namespace plumbline::run {
namespace {

using judge::Judgement;
using judge::verdict;

/// An answer other than ok after everything that the manifest claims was kept.
Judgement judge_refusal(const Call& call) {
  if (call.touched) {
    return verdict(Verdict::kFail, "guard", "refused, yet wrote an output: " + *call.touched);
  }
  const Status status = call.refusal ? call.refusal->status : call.answer.status;
  const std::string text = call.refusal ? call.refusal->text() : call.answer.message;
  if (!call.refusal) {
    return verdict(
        Verdict::kWrongClass, "contract",
        "validation accepted it, then run refused (" + std::string(name_of(status)) + "): " + text);
  }
  // A documented limit of size may be refused; anything else that the manifest claims may not.
  const bool allowed = status == Status::kCapacity;
  return verdict(allowed ? Verdict::kRefused : Verdict::kWronglyRefused, "contract",
                 std::string(name_of(status)) + ": " + text);
}

/// The answer to a problem that breaks a constraint of the path that claims it.
Judgement judge_must_refuse(const Call& call, const std::string& constraint, bool classified) {
  if (call.touched) {
    return verdict(Verdict::kFail, "guard", "refused, yet wrote an output: " + *call.touched);
  }
  const Status status = call.refusal ? call.refusal->status : call.answer.status;
  const std::string text = call.refusal ? call.refusal->text() : call.answer.message;
  if (status == Status::kOk) {
    return verdict(Verdict::kWronglyAccepted, "contract",
                   "must be refused: its manifest says " + constraint);
  }
  if (!call.refusal) {
    return verdict(Verdict::kWrongClass, "contract",
                   "validation accepted what breaks " + constraint + "; run refused: " + text);
  }
  if (classified && status != Status::kShape) {
    return verdict(Verdict::kWrongClass, "contract",
                   constraint + " is broken: class shape expected, not " +
                       std::string(name_of(status)) + ": " + text);
  }
  return verdict(Verdict::kRefused, "contract", std::string(name_of(status)) + ": " + text);
}

/// Whether each output is where the problem's out mode says, and of the right type.
Judgement judge_places(const Prepared& prepared, const Call& call) {
  for (const auto& [name, spec] : prepared.wanted) {
    const auto found = call.results.find(name);
    if (found == call.results.end()) {
      return verdict(Verdict::kFail, "contract", name + " was neither given nor returned");
    }
    const auto& placed = call.answer.wrote_in_place;
    const bool has_buffer = prepared.outputs.contains(name);
    const bool in_place = std::find(placed.begin(), placed.end(), name) != placed.end();
    if (has_buffer && !in_place) {
      return verdict(Verdict::kFail, "contract",
                     name + " was given, but the answer does not say that it holds the result");
    }
    if (found->second.spec != spec) {
      return verdict(Verdict::kFail, "contract",
                     name + " is " + found->second.spec.text() + ", expected " + spec.text());
    }
  }
  return verdict(Verdict::kPass, "contract", "every output is where it belongs");
}

std::vector<Judgement> judge_numbers(const Prepared& prepared, const Tensors& results,
                                     const Profile& profile, bounds::Tracks tracks) {
  if (prepared.problem.op == "moe.route") {
    const RouteProblem problem = *RouteProblem::from(prepared.problem);
    return {judge::route(problem, bounds::evaluate_route(problem, prepared.inputs),
                         results.find("topk_ids")->second, results.find("topk_weights")->second)};
  }
  std::vector<Judgement> judgements;
  for (const auto& [name, expected] :
       bounds::evaluate(prepared.problem, prepared.inputs, profile, tracks)) {
    const Tensor& got = results.find(name)->second;
    judgements.push_back(judge::numeric(name, expected, got));
    if (judgements.back().verdict != Verdict::kFail) continue;
    if (auto judged = judge::calibrated_alone(name, expected, got)) {
      judgements.push_back(std::move(*judged));
    }
  }
  return judgements;
}

/// Both calls had the same inputs: they must give the same bits.
Judgement judge_repeat(const Call& first, const Call& second) {
  if (second.accident) return *second.accident;
  if (second.answer.status != first.answer.status || second.refusal) {
    return verdict(Verdict::kFlaky, "repeat", "ran once, and refused when it was repeated");
  }
  for (const auto& [name, tensor] : first.results) {
    const auto again = second.results.find(name);
    if (again != second.results.end() && again->second == tensor) continue;
    return verdict(Verdict::kFlaky, "repeat", name + " has other bits in the repeat");
  }
  return verdict(Verdict::kPass, "repeat", "the repeat gave the same bits");
}

/// One of the relations that apply to the case, another for each seed. What gives it nothing to
/// change, or no bound tight enough to say anything, adds no judgement.
void judge_relation(const Case& test_case, Implementation& implementation,
                    std::vector<Judgement>& into) {
  std::vector<const properties::Relation*> fitting;
  for (const properties::Relation& relation : properties::all_relations()) {
    if (properties::applies(relation, test_case.problem)) fitting.push_back(&relation);
  }
  if (fitting.empty()) return;
  const inputs::Stream stream(test_case.seed, "relation of " + test_case.problem.text());
  const std::size_t pick = stream.below(0, fitting.size());
  const std::string lane = "relation:" + std::string(fitting[pick]->name);
  Judgement judged;
  try {
    judged = fitting[pick]->judge(test_case, implementation);
  } catch (const std::exception& error) {
    judged = verdict(Verdict::kCrash, lane, error.what());
  }
  if (judged.verdict == Verdict::kPass || judged.verdict == Verdict::kFail ||
      judged.verdict == Verdict::kCrash) {
    judged.elements = 0;
    into.push_back(std::move(judged));
  }
}

void judge_answered(const Prepared& prepared, Implementation& implementation,
                    const OfferedPath& path, const Call& first, std::vector<Judgement>& into) {
  if (first.answer.path != path.name) {
    into.push_back(verdict(Verdict::kWrongPath, "contract",
                           "selected " + path.name + ", but " + first.answer.path + " ran"));
  }
  into.push_back(judge_places(prepared, first));
  if (into.back().verdict != Verdict::kPass) return;
  const auto tracks =
      prepared.random_like ? bounds::Tracks::kAlsoCalibrated : bounds::Tracks::kRigorous;
  for (Judgement& judged : judge_numbers(prepared, first.results, path.profile, tracks)) {
    into.push_back(std::move(judged));
  }
  const Call second = call(prepared, implementation, judge::Edge::kStart);
  into.push_back(judge_repeat(first, second));
  into.push_back(second.guards);
}

/// FNV-1a over names and bytes of the outputs, in the order of their names.
std::string hash_of(const Tensors& outputs) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  const auto add = [&hash](unsigned char byte) { hash = (hash ^ byte) * 0x100000001B3U; };
  for (const auto& [name, tensor] : outputs) {
    for (const char c : name) add(static_cast<unsigned char>(c));
    for (const std::byte byte : tensor.data) add(std::to_integer<unsigned char>(byte));
  }
  std::string text;
  for (int digit = 15; digit >= 0; --digit) text += "0123456789abcdef"[hash >> (4 * digit) & 15U];
  return text;
}

std::vector<Judgement> judge_case(const Case& test_case, Implementation& implementation,
                                  Record& record) {
  const OfferedPath* path = implementation.manifest().path_for(test_case.problem);
  if (path == nullptr) {
    return {verdict(Verdict::kNotOffered, "contract", "no path of the manifest claims it")};
  }
  record.profile = path->profile.name;
  if (test_case.problem.op == "moe.identity") return judge_identity(test_case, implementation);
  if (test_case.problem.op == "moe.method") {
    return judge_method(test_case, implementation, record.path);
  }
  const Prepared prepared = prepare(test_case);
  const Call first = call(prepared, implementation, judge::Edge::kEnd);
  record.path = first.answer.path;
  std::vector<Judgement> judgements;
  if (first.accident) return {*first.accident, first.guards};
  if (const std::string rule = path->broken_constraint(test_case.problem); !rule.empty()) {
    const bool classified = implementation.manifest().classified_errors;
    return {judge_must_refuse(first, rule, classified), first.guards};
  }
  if (first.refusal || first.answer.status != Status::kOk) {
    return {judge_refusal(first), first.guards};
  }
  record.bits = hash_of(first.results);
  judgements.push_back(first.guards);
  judge_answered(prepared, implementation, *path, first, judgements);
  judge_relation(test_case, implementation, judgements);
  return judgements;
}

/// What goes wrong outside the implementation stays on its case; the others run all the same.
std::vector<Judgement> judge_or_pin(const Case& test_case, Implementation& implementation,
                                    Record& record) {
  try {
    return judge_case(test_case, implementation, record);
  } catch (const std::bad_alloc&) {
    return {verdict(Verdict::kEnvironment, "run", "out of memory")};
  } catch (const std::exception& error) {
    return {verdict(Verdict::kCrash, "run",
                    "outside the implementation: " + std::string(error.what()))};
  }
}

/// The judgements that carry numbers tell more of a pass than those of guards and places.
Judgement summary(const std::vector<Judgement>& judgements) {
  std::vector<Judgement> telling;
  for (const Judgement& judged : judgements) {
    const bool fails = judged.verdict != Verdict::kPass;
    if (fails || judged.elements > 0) telling.push_back(judged);
  }
  return judge::worst_of(telling.empty() ? judgements : telling);
}

void fill_in(Record& record, Judgement&& judged) {
  record.verdict = judged.verdict;
  record.lane = std::move(judged.lane);
  record.reason = std::move(judged.reason);
  record.margin = judged.margin;
  record.elements = judged.elements;
  record.compared = judged.compared;
  record.rms_expected = judged.rms_expected;
  record.worst = std::move(judged.worst);
  record.sketch = std::move(judged.sketch);
}

}  // namespace

Outcome examine(const Case& test_case, Implementation& implementation) {
  const auto begin = std::chrono::steady_clock::now();
  const Manifest& manifest = implementation.manifest();
  Outcome outcome;
  outcome.record.case_id = test_case.id();
  outcome.record.implementation = manifest.name;
  outcome.record.target = manifest.target;
  outcome.record.wave = manifest.wave;
  outcome.record.device = manifest.device;
  outcome.judgements = judge_or_pin(test_case, implementation, outcome.record);
  fill_in(outcome.record, summary(outcome.judgements));
  outcome.record.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return outcome;
}

Record run_case(const Case& test_case, Implementation& implementation) {
  return examine(test_case, implementation).record;
}

}  // namespace plumbline::run
