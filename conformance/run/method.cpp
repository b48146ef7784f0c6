#include "conformance/run/method.h"

#include <algorithm>
#include <array>
#include <exception>
#include <map>
#include <mutex>
#include <string>

#include "conformance/inputs/inputs.h"
#include "conformance/judge/guard.h"
#include "conformance/run/checkpoint.h"
#include "conformance/run/method_state.h"
#include "reference/bounds/evaluate.h"
#include "reference/contract/method_model.h"
#include "reference/spec/ids.h"
#include "reference/spec/status.h"

namespace plumbline::run {
namespace {

using contract::MethodExpectation;
using judge::Judgement;
using judge::verdict;

constexpr std::string_view kLane = "lifecycle";
constexpr std::array kSwitches = {"runner_backend", "int4_on_hip", "lightop_library"};

/// The process-wide switches as they were, put back at the end.
class SavedSwitches {
 public:
  explicit SavedSwitches(Implementation& implementation) : implementation_(implementation) {
    for (const char* name : kSwitches) {
      if (const auto value = implementation.get_switch(name)) before_[name] = *value;
    }
  }
  SavedSwitches(const SavedSwitches&) = delete;
  SavedSwitches& operator=(const SavedSwitches&) = delete;
  ~SavedSwitches() {
    for (const auto& [name, value] : before_) implementation_.set_switch(name, value);
  }

  bool complete() const { return before_.size() == kSwitches.size(); }

 private:
  Implementation& implementation_;
  std::map<std::string, std::string> before_;
};

class Sequence {
 public:
  Sequence(const Case& test_case, Implementation& implementation)
      : problem_(*MethodProblem::from(test_case.problem)),
        implementation_(implementation),
        inputs_(inputs::make(test_case)),
        checkpoint_(make_checkpoint(problem_, inputs_)),
        model_(problem_, [this](std::string_view backend) { return path_of(backend) != nullptr; }) {
  }

  std::vector<Judgement> judge() {
    set("runner_backend", problem_.layer.backend);
    set("int4_on_hip", "no");
    set("lightop_library", problem_.lightop);
    const std::string holder(find_ownership(problem_.ownership)->holder);
    method_ = implementation_.make_method(problem_.layer.quant, holder);
    if (!method_) {
      return {verdict(Verdict::kWronglyRefused, kLane, "no method held by " + holder)};
    }
    for (const std::string& word : problem_.call_words()) {
      ++calls_;
      step(word);
      if (!judgements_.empty() && judgements_.back().verdict != Verdict::kPass) return judgements_;
    }
    judgements_.push_back(verdict(Verdict::kPass, kLane,
                                  std::to_string(calls_) + " calls did what the contract says"));
    return judgements_;
  }

  const std::string& path() const { return path_; }

 private:
  /// The expert layer on a backend, as moe.experts says it.
  ExpertsProblem layer_on(std::string_view backend) const {
    ExpertsProblem layer = problem_.layer;
    layer.backend = backend;
    return layer;
  }

  const OfferedPath* path_of(std::string_view backend) const {
    if (backend.empty() || backend == "auto") return nullptr;
    return implementation_.manifest().path_for(layer_on(backend).to_problem());
  }

  void set(std::string_view name, std::string_view value) {
    if (const auto refusal = implementation_.set_switch(name, value)) {
      fail(Verdict::kWronglyRefused, "the switch was refused: " + refusal->text());
    }
    switches_.insert_or_assign(std::string(name), std::string(value));
  }

  void fail(Verdict what, const std::string& reason, std::string_view lane = kLane) {
    judgements_.push_back(
        verdict(what, lane, "call " + std::to_string(calls_) + " (" + word_ + "): " + reason));
  }

  void step(const std::string& word) {
    word_ = word;
    constexpr std::string_view kSwitch = "switch:";
    const MethodState before = method_->query();
    const MethodExpectation expected = model_.call(word);
    if (word.starts_with(kSwitch)) {
      set("runner_backend", word.substr(kSwitch.size()));
    } else if (word.starts_with("int4:")) {
      set("int4_on_hip", word == "int4:yes" ? "yes" : "no");
    } else if (word == "load") {
      load(expected);
    } else if (word == "apply") {
      apply(expected);
    } else {
      judge_status(expected, simple_call(word));
    }
    if (judgements_.empty() || judgements_.back().verdict == Verdict::kPass) {
      judge_state(expected, before);
    }
  }

  Answer simple_call(const std::string& word) {
    const Problem layer = layer_on("triton").to_problem();
    if (word == "weights") return method_->create_weights(layer);
    if (word == "runner") return method_->create_runner(layer);
    return method_->process_weights();
  }

  /// Where it must be refused, the first tensor tells.
  void load(const MethodExpectation& expected) {
    for (SavedTensor& saved : checkpoint_.saved) {
      const TensorView view{saved.tensor.spec, saved.tensor.data.data()};
      judge_status(expected, method_->load(saved.name, saved.expert, view));
      if (!judgements_.empty() && judgements_.back().verdict != Verdict::kPass) return;
      if (!expected.accepted()) return;
    }
  }

  void judge_status(const MethodExpectation& expected, const Answer& answer) {
    std::string text(name_of(answer.status));
    if (!answer.message.empty()) text.append(" (").append(answer.message).append(")");
    const auto& allowed = expected.admissible;
    if (answer.status == Status::kDevice) {
      fail(Verdict::kCrash, text, "crash");
    } else if (std::find(allowed.begin(), allowed.end(), answer.status) == allowed.end()) {
      const std::string wanted =
          "answered " + text + ", must be " + std::string(name_of(allowed.front()));
      if (expected.accepted()) {
        fail(Verdict::kWronglyRefused, wanted);
      } else {
        fail(answer.status == Status::kOk ? Verdict::kWronglyAccepted : Verdict::kWrongClass,
             wanted);
      }
    }
  }

  void judge_state(const MethodExpectation& expected, const MethodState& before) {
    const MethodState after = method_->query();
    LayerReference reference{checkpoint_.plain, {}, problem_.layer.e};
    if (expected.layer == contract::LayerState::kPacked) {
      reference.packed = packed_for(expected.packed_for);
    }
    if (const auto wrong = wrong_state(expected, after, reference)) fail(Verdict::kFail, *wrong);
    if (!expected.accepted()) {
      if (const auto changed = difference(before.layer, after.layer)) {
        fail(Verdict::kFail, "a refused call changed the layer: " + *changed);
      }
    }
    judge_switches();
  }

  void judge_switches() {
    for (const auto& [name, value] : switches_) {
      const auto now = implementation_.get_switch(name);
      if (now && *now == value) continue;
      std::string reason = "the process-wide switch " + name + " was left at ";
      reason.append(now ? *now : "nothing").append(", it was ").append(value);
      fail(Verdict::kFail, reason, "leak");
    }
  }

  /// What an owner's method has on its layer after the same steps on a backend.
  Tensors owned_on(const std::string& backend) {
    const Problem layer = layer_on("triton").to_problem();
    implementation_.set_switch("runner_backend", backend);
    const auto owner = implementation_.make_method(problem_.layer.quant, "direct");
    owner->create_weights(layer);
    owner->create_runner(layer);
    for (SavedTensor& saved : checkpoint_.saved) {
      owner->load(saved.name, saved.expert, {saved.tensor.spec, saved.tensor.data.data()});
    }
    owner->process_weights();
    implementation_.set_switch("runner_backend", switches_["runner_backend"]);
    return weights_on(owner->query().layer);
  }

  /// What the implementation's packer makes of the weights; an owner's method where it has none of
  /// its own, and for what a borrower processed.
  std::optional<Tensors> packed_for(const std::string& backend) {
    if (path_of(backend) == nullptr) return std::nullopt;
    const auto known = packed_.find(backend);
    if (known != packed_.end()) return known->second;
    TensorViews views;
    for (auto& [name, tensor] : checkpoint_.plain) views[name] = {tensor.spec, tensor.data.data()};
    const auto record = implementation_.pack(layer_on(backend).to_problem(), views);
    const bool borrowed = problem_.ownership.starts_with("borrower");
    Tensors packed = record && !borrowed ? record->tensors : owned_on(backend);
    if (record) {
      if (const auto wrong = difference(weights_on(record->tensors), weights_on(packed))) {
        fail(Verdict::kFail, "an owner's layer is not what pack gives: " + *wrong);
      }
    }
    return packed_[backend] = std::move(packed);
  }

  Tensors routing_inputs() const {
    Tensors inputs;
    for (const char* name : {"x", "topk_ids", "topk_weights"}) {
      inputs[name] = inputs_.find(name)->second;
    }
    return inputs;
  }

  void apply(const MethodExpectation& expected) {
    const std::string backend = expected.runner.empty() ? "triton" : expected.runner;
    const Problem layer = layer_on(backend).to_problem();
    const Tensors given = routing_inputs();
    judge::GuardedTensors inputs(given, judge::Edge::kEnd);
    const std::map<std::string, TensorSpec> wanted = {
        {"out", {problem_.layer.io, {problem_.layer.t, problem_.layer.h}}}};
    judge::GuardedTensors outputs(wanted, judge::Edge::kEnd);
    const Answer answer = method_->apply(layer, inputs.views(), outputs.views());
    path_ = answer.path;
    judge_status(expected, answer);
    Judgement guards = judge::guards(inputs, given, outputs);
    if (guards.verdict != Verdict::kPass) judgements_.push_back(std::move(guards));
    if (answer.status != Status::kOk) {
      if (const auto written = outputs.written()) {
        fail(Verdict::kFail, "refused, yet wrote an output: " + *written, "guard");
      }
      return;
    }
    if (!expected.accepted()) return;
    const OfferedPath& path = *path_of(backend);
    if (answer.path != path.name) {
      fail(Verdict::kWrongPath, "selected " + path.name + ", but " + answer.path + " ran",
           "contract");
    }
    judge_numbers(layer, path.profile, outputs.copy("out"));
  }

  void judge_numbers(const Problem& layer, const Profile& profile, const Tensor& out) {
    Tensors inputs = routing_inputs();
    inputs.insert(checkpoint_.plain.begin(), checkpoint_.plain.end());
    for (const auto& [name, expected] : bounds::evaluate(layer, inputs, profile)) {
      Judgement judged = judge::numeric(name, expected, out);
      judgements_.push_back(std::move(judged));
    }
  }

  MethodProblem problem_;
  Implementation& implementation_;
  Tensors inputs_;
  Checkpoint checkpoint_;
  contract::MethodModel model_;
  std::unique_ptr<Method> method_;
  std::map<std::string, std::string> switches_;
  std::map<std::string, Tensors> packed_;
  std::vector<Judgement> judgements_;
  std::string word_ = "start";
  std::string path_;
  int calls_ = 0;
};

}  // namespace

std::vector<Judgement> judge_method(const Case& test_case, Implementation& implementation,
                                    std::string& path) {
  static std::mutex one_at_a_time;
  const std::lock_guard<std::mutex> lock(one_at_a_time);
  try {
    const SavedSwitches saved(implementation);
    if (!saved.complete()) {
      return {verdict(Verdict::kWronglyRefused, kLane, "a process-wide switch cannot be read")};
    }
    Sequence sequence(test_case, implementation);
    std::vector<Judgement> judgements = sequence.judge();
    path = sequence.path();
    return judgements;
  } catch (const BadInput&) {
    throw;  // of the harness: no implementation reads files
  } catch (const std::exception& error) {
    return {verdict(Verdict::kCrash, "crash",
                    "the implementation threw: " + std::string(error.what()))};
  }
}

}  // namespace plumbline::run
