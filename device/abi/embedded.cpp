#include <string>
#include <utility>

#include "device/abi/arguments.h"
#include "device/abi/device.h"
#include "device/abi/implementation.h"
#include "device/abi/manifest.h"
#include "device/abi/on_device.h"
#include "device/attention/attention.h"
#include "device/faults/fault.h"
#include "device/kernels/buffer.h"
#include "device/moe/dispatch.h"
#include "device/moe/identity.h"
#include "device/moe/method.h"
#include "device/moe/route.h"
#include "device/moe/switches.h"

namespace plumbline {
namespace device {
namespace {

/// Host memory of an output: the caller's buffer, else a tensor that the answer carries.
std::byte* place_output(Answer& answer, const TensorViews& outputs, const Wanted& wanted) {
  const std::string name(wanted.name);
  if (const auto it = outputs.find(name); it != outputs.end()) {
    answer.wrote_in_place.push_back(name);
    return it->second.data;
  }
  TensorSpec spec;
  spec.dtype = wanted.dtype;
  spec.shape = wanted.shape;
  Tensor& tensor = answer.returned[name] = Tensor::zeros(std::move(spec));
  return tensor.data.data();
}

/// `out` is given exactly where the problem's out mode says so.
std::optional<Refusal> refuse_out_mode(const AttentionProblem& p, const TensorViews& outputs) {
  const bool given = outputs.find("out") != outputs.end();
  const std::string mode(name_of(p.out_mode));
  if (given && p.out_mode == OutMode::kAbsent) {
    return Refusal{Status::kUnexpected, "no out where out=absent", "out is given"};
  }
  if (!given && p.out_mode != OutMode::kAbsent) {
    return Refusal{Status::kMissing, "out is given where out=" + mode, "out is absent"};
  }
  return std::nullopt;
}

class Embedded final : public Implementation {
 public:
  Embedded(ChosenDevice device, const Fault* fault)
      : device_(std::move(device)), manifest_(embedded_manifest(device_)), fault_(fault) {
    if (fault_ && fault_->identities) fault_->identities(identities_);
  }

  const Manifest& manifest() const override { return manifest_; }

  std::optional<Refusal> refuses(const Problem& problem, const TensorViews& inputs) override {
    if (problem.op == "moe.route") {
      const auto p = RouteProblem::from(problem);
      return p ? refuse_route(*p, inputs) : p.refusal();
    }
    if (problem.op == "moe.experts") {
      const auto p = ExpertsProblem::from(problem);
      return p ? refuse_experts(*p, inputs, lightop_library()) : p.refusal();
    }
    const auto p = AttentionProblem::from(problem);
    return p ? refuse_attention(*p, inputs) : p.refusal();
  }

  Answer run(const Problem& problem, const TensorViews& inputs,
             const TensorViews& outputs) override {
    if (const auto refusal = refuses(problem, inputs)) return refused(*refusal);
    return on_device(device_.index, [&] { return dispatch(problem, inputs, outputs, nullptr); });
  }

  Answer run_observed(const Problem& problem, const TensorViews& inputs, const TensorViews& outputs,
                      const Observer& observer) override {
    if (const auto refusal = refuses(problem, inputs)) return refused(*refusal);
    return on_device(device_.index, [&] { return dispatch(problem, inputs, outputs, &observer); });
  }

  Result<QuantRecord> pack(const Problem& problem, const TensorViews& weights) override {
    const auto p = ExpertsProblem::from(problem);
    if (!p) return p.refusal();
    if (const auto refusal = refuse_weights(*p, weights, lightop_library())) return *refusal;
    return pack_for(select_path(*p, identities_), *p, weights, fault_);
  }

  Answer run_packed(const Problem& problem, const QuantRecord& record, const TensorViews& inputs,
                    const TensorViews& outputs) override {
    const auto p = ExpertsProblem::from(problem);
    if (!p) return refused(p.refusal());
    if (const auto refusal = refuse_packed(*p, record, inputs, lightop_library())) {
      return refused(*refusal);
    }
    return on_device(device_.index, [&] {
      return experts({*p, record, inputs, outputs, nullptr});
    });
  }

  std::unique_ptr<Method> make_method(std::string_view quant, std::string_view holder) override {
    return make_quant_method(quant, holder, {device_.index, manifest_.wave, fault_, &identities_});
  }

  Result<std::string> get_switch(std::string_view name) override { return switches::get(name); }

  std::optional<Refusal> set_switch(std::string_view name, std::string_view value) override {
    return switches::set(name, value);
  }

  Result<bool> ask(std::string_view type, std::string_view predicate,
                   std::string_view value) override {
    return identities_.ask(type, predicate, value);
  }

 private:
  /// The library of a run that no method makes: the switch lightop_library is read at construction
  /// of a runner, and cases without one run beside those that turn it.
  std::string_view lightop_library() const { return "present"; }

  Answer dispatch(const Problem& problem, const TensorViews& inputs, const TensorViews& outputs,
                  const Observer* observer) const {
    if (problem.op == "moe.route") return route(*RouteProblem::from(problem), inputs, outputs);
    if (problem.op == "moe.experts") {
      const auto p = ExpertsProblem::from(problem);
      const QuantRecord record = pack_for(select_path(*p, identities_), *p, inputs, fault_);
      return experts({*p, record, inputs, outputs, observer});
    }
    return attention(*AttentionProblem::from(problem), inputs, outputs);
  }

  Answer route(const RouteProblem& p, const TensorViews& inputs, const TensorViews& outputs) const {
    const Wanted wanted[] = {{"topk_ids", DType::kI32, {p.t, p.k}, true},
                             {"topk_weights", DType::kF32, {p.t, p.k}, true}};
    if (const auto refusal = check_tensors(wanted, outputs)) return refused(*refusal);
    RoutePlan plan = plan_route(p, manifest_.wave);
    if (fault_ && fault_->route) fault_->route(plan);
    Answer answer;
    answer.path = "route";
    const RouteTarget target{place_output(answer, outputs, wanted[0]),
                             place_output(answer, outputs, wanted[1])};
    run_route(plan, inputs, target);
    return answer;
  }

  /// What an expert layer is run with.
  struct Layer {
    const ExpertsProblem& problem;
    const QuantRecord& record;
    const TensorViews& inputs;
    const TensorViews& outputs;
    const Observer* observer;
  };

  Answer experts(const Layer& layer) const {
    const ExpertsProblem& p = layer.problem;
    const Wanted wanted[] = {{"out", p.io, {p.t, p.h}, true}};
    if (const auto refusal = check_tensors(wanted, layer.outputs)) return refused(*refusal);
    const ExpertPath& path = select_path(p, identities_);
    Answer answer;
    answer.path = path.name;
    std::byte* out = place_output(answer, layer.outputs, wanted[0]);
    path.run({p, layer.record, layer.inputs, fault_, manifest_.wave, out, layer.observer});
    return answer;
  }

  Answer attention(const AttentionProblem& p, const TensorViews& inputs,
                   const TensorViews& outputs) const {
    const std::int64_t tq = inputs.find("q")->second.spec.shape[0];
    std::vector<Wanted> wanted = {{"out", p.io, {tq, p.hq, p.d}, true}};
    if (p.has_lse) wanted.push_back({"lse", DType::kF32, {p.hq, tq}, true});
    if (const auto refusal = check_tensors(wanted, outputs)) return refused(*refusal);
    if (const auto refusal = refuse_out_mode(p, outputs)) return refused(*refusal);
    AttentionPlan plan = plan_attention(p, inputs, manifest_.wave);
    if (fault_ && fault_->attention) fault_->attention(plan);
    Answer answer;
    answer.path = p.decode ? "decode" : "prefill";
    AttentionTarget target;
    target.out = place_output(answer, outputs, wanted[0]);
    if (p.has_lse) target.lse = place_output(answer, outputs, wanted[1]);
    run_attention(plan, inputs, target);
    return answer;
  }

  ChosenDevice device_;
  Manifest manifest_;
  identity::Table identities_ = identity::all();
  const Fault* fault_;
};

}  // namespace
}  // namespace device

std::unique_ptr<Implementation> make_embedded(const EmbeddedOptions& options) {
  const device::Fault* fault = nullptr;
  if (!options.fault.empty()) {
    fault = device::find_fault(options.fault);
    if (!fault) throw BadInput("--fault", options.fault, "a name of `plumbline list faults`");
  }
  return std::make_unique<device::Embedded>(device::choose_device(options.wave), fault);
}

}  // namespace plumbline
