#include "reference/contract/method_model.h"

#include <utility>

#include "reference/contract/runner_table.h"
#include "reference/spec/ids.h"

namespace plumbline::contract {
namespace {

/// Backends whose kernels read gemm1_*.
bool takes_parameters(std::string_view backend) {
  return backend == "flashinfer_trtllm" || backend == "flashinfer_trtllm_routed" ||
         backend == "experimental_sgl_trtllm";
}

ActivationParameters parameters_of(const Activation& activation) {
  ActivationParameters p;
  if (activation.kind != Activation::Kind::kSwiglu) return p;
  p.alpha = activation.alpha;
  p.beta = activation.beta;
  if (activation.limit > 0.0) p.clamp_limit = activation.limit;
  return p;
}

}  // namespace

MethodModel::MethodModel(const MethodProblem& problem,
                         std::function<bool(std::string_view)> has_kernel)
    : problem_(problem), has_kernel_(std::move(has_kernel)), switch_(problem.layer.backend) {
  const Ownership* ownership = find_ownership(problem.ownership);
  borrowed_ = ownership != nullptr && find_method_holder(ownership->holder)->borrows;
}

MethodExpectation MethodModel::answered(std::vector<Status> admissible) const {
  MethodExpectation result = now_;
  result.admissible = std::move(admissible);
  return result;
}

std::string MethodModel::backend_now() const { return switch_ == "auto" ? "triton" : switch_; }

/// The library without a symbol lacks the FP8 entry; the INT8 one is not disturbed.
bool MethodModel::library_lacks(std::string_view backend) const {
  if (backend != "lightop" || problem_.lightop == "present") return false;
  return problem_.lightop == "absent" || problem_.layer.quant == "w8a8_fp8_channel";
}

MethodExpectation MethodModel::call(std::string_view word) {
  constexpr std::string_view kSwitch = "switch:";
  if (word.starts_with(kSwitch)) {
    switch_ = word.substr(kSwitch.size());
  } else if (word == "int4:yes" || word == "int4:no") {
    int4_ = word == "int4:yes";
  } else if (word == "weights") {
    if (now_.layer != LayerState::kEmpty) return answered({Status::kState});
    now_.layer = LayerState::kPlain;
  } else if (word == "load") {
    if (now_.layer != LayerState::kPlain) return answered({Status::kState});
    now_.loaded = true;
  } else if (word == "runner") {
    return create_runner();
  } else if (word == "process") {
    return process();
  } else if (word == "apply") {
    return apply();
  }
  return answered({Status::kOk});
}

MethodExpectation MethodModel::create_runner() {
  if (borrowed_) return answered({Status::kOk});
  now_.owns = false;
  now_.runner.clear();
  const std::string backend = backend_now();
  const RunnerRow* row = find_runner_row(problem_.layer.quant, switch_);
  if (row == nullptr || row->constructs == Constructs::kRefused || library_lacks(backend)) {
    return answered({Status::kUnsupported});
  }
  if (row->constructs == Constructs::kYes) {
    now_.owns = true;
    now_.runner = backend;
  }
  return answered({Status::kOk});
}

MethodExpectation MethodModel::process() {
  const std::string backend = backend_now();
  const bool ready = now_.layer == LayerState::kPacked || now_.loaded;
  std::vector<Status> refusals;
  // The FP8 methods have a branch of their own for INT4 on HIP, which nobody offers here.
  if (int4_ && problem_.layer.quant.find("fp8") != std::string::npos) {
    refusals.push_back(Status::kUnsupported);
  }
  if (!ready) refusals.push_back(Status::kState);
  const bool packs = now_.layer != LayerState::kPacked;
  if (packs && has_kernel_(backend) && library_lacks(backend)) {
    refusals.push_back(Status::kUnsupported);
  }
  if (!refusals.empty()) return answered(std::move(refusals));
  if (packs) {
    now_.layer = LayerState::kPacked;
    now_.packed_for = backend;
  }
  write_parameters(backend);
  return answered({Status::kOk});
}

void MethodModel::write_parameters(std::string_view backend) {
  now_.parameters = {};
  if (now_.owns && takes_parameters(backend)) {
    now_.parameters = parameters_of(problem_.layer.activation);
  }
}

MethodExpectation MethodModel::apply() const {
  std::vector<Status> refusals;
  const bool packed = now_.layer == LayerState::kPacked;
  const bool wants =
      takes_parameters(now_.runner) && now_.parameters != parameters_of(problem_.layer.activation);
  if (!now_.owns || !packed || now_.runner != now_.packed_for || wants) {
    refusals.push_back(Status::kState);
  }
  if (now_.owns && !has_kernel_(now_.runner)) refusals.push_back(Status::kUnsupported);
  return refusals.empty() ? answered({Status::kOk}) : answered(std::move(refusals));
}

}  // namespace plumbline::contract
