#include "device/moe/method.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "device/abi/on_device.h"
#include "device/faults/fault.h"
#include "device/moe/dispatch.h"
#include "device/moe/layer.h"
#include "device/moe/method_weights.h"
#include "device/moe/switches.h"

namespace plumbline::device {
namespace {

constexpr std::string_view kParameters = "gemm1_";

Tensor one_each(std::int64_t experts, double value) {
  Tensor tensor = Tensor::zeros({DType::kF32, {experts}});
  std::fill(tensor.as<float>().begin(), tensor.as<float>().end(), static_cast<float>(value));
  return tensor;
}

/// The backend whose runner was constructed, with what only its owner knows.
struct Runner {
  std::string backend;
  Activation activation;
};

class QuantMethod final : public Method {
 public:
  QuantMethod(std::string_view quant, bool borrowed, const MethodSurroundings& surroundings)
      : quant_(quant), borrowed_(borrowed), around_(surroundings) {
    if (around_.fault && around_.fault->method) around_.fault->method(rules_);
  }

  Answer create_weights(const Problem& layer) override {
    if (layer_) return refused({Status::kState, "weights are created once", "they are there"});
    Result<ExpertsProblem> read = read_layer(layer, "triton");
    if (!read) return refused(read.refusal());
    weights_ = LoadedWeights(*read);
    layer_ = std::move(read).value();
    return {};
  }

  Answer load(std::string_view name, std::int64_t expert, const TensorView& tensor) override {
    if (!layer_) return refused({Status::kState, "create_weights before load", "no weights"});
    if (packed_for_) {
      return refused({Status::kState, "load before process_weights", "packed for " + *packed_for_});
    }
    const auto refusal = weights_.load(name, expert, tensor);
    return refusal ? refused(*refusal) : Answer{};
  }

  Answer create_runner(const Problem& layer) override {
    if (borrowed_) return {};  // the holder's own affair
    if (rules_.clears_ownership_first) runner_.reset();
    const std::string backend = backend_now();
    const Result<ExpertsProblem> read = read_layer(layer, backend);
    if (!read) return refused(read.refusal());
    Runner made{backend, read->activation};
    switch (construction_of(quant_, backend)) {
      case Construction::kNothing:
        runner_.reset();
        return {};
      case Construction::kRefused:
        if (rules_.refuses_unknown_backend) {
          return refused({Status::kUnsupported, quant_ + " has a runner for the backend", backend});
        }
        made.backend = "triton";
        break;
      case Construction::kRunner:
        break;
    }
    if (has_path(made.backend)) {
      ExpertsProblem problem = *read;
      problem.backend = made.backend;
      if (auto refusal = refuse_layer(problem, switches::value_of("lightop_library"))) {
        return refused(*refusal);
      }
    }
    runner_ = std::move(made);
    return {};
  }

  Answer process_weights() override {
    const std::string backend = backend_now();
    if (quant_.find("fp8") != std::string::npos && switches::value_of("int4_on_hip") == "yes") {
      return refused({Status::kUnsupported, "int4_on_hip = no", "int4_on_hip = yes"});
    }
    if (!layer_ || !(packed_for_ || weights_.complete())) {
      return refused({Status::kState, "weights are loaded before process_weights", "some are not"});
    }
    if (rules_.process_reads_runner) static_cast<void>(runner_.value());
    if (!packed_for_) {
      if (auto refusal = pack(backend, weights_.tensors())) return refused(*refusal);
    } else if (!rules_.packs_once) {
      pack_again(backend);
    }
    write_parameters(backend);
    if (!rules_.keeps_switches) {
      static_cast<void>(switches::set("runner_backend", runner_ ? runner_->backend : "auto"));
    }
    return {};
  }

  Answer apply(const Problem& layer, const TensorViews& inputs,
               const TensorViews& outputs) override {
    if (auto refusal = refuse_state()) return refused(*refusal);
    Result<ExpertsProblem> read = read_layer(layer, runner_->backend);
    if (!read) return refused(read.refusal());
    const ExpertsProblem& p = *read;
    if (!same_layer(p)) {
      return refused({Status::kShape, "the layer of create_weights", layer.text()});
    }
    if (!has_path(p.backend)) {
      return refused({Status::kUnsupported, "a kernel for the runner's backend", p.backend});
    }
    const QuantRecord record = record_with_parameters();
    const Wanted out{"out", p.io, {p.t, p.h}};
    if (auto refusal = refuse_packed(p, record, inputs, "present")) return refused(*refusal);
    if (auto refusal = check_tensors(std::span(&out, 1), outputs)) return refused(*refusal);
    return run(p, record, inputs, outputs.find("out")->second.data);
  }

  MethodState query() const override {
    MethodState state;
    state.owns_runner = runner_.has_value();
    if (runner_) state.runner_backend = runner_->backend;
    state.layer = packed_for_ ? record_.tensors : weights_.tensors();
    for (const auto& [name, tensor] : parameters_) state.layer[name] = tensor;
    return state;
  }

 private:
  std::string backend_now() const {
    return std::string(resolved_backend(switches::value_of("runner_backend")));
  }

  Result<ExpertsProblem> read_layer(const Problem& layer, const std::string& backend) const {
    Result<ExpertsProblem> read = ExpertsProblem::from(layer);
    if (!read) return read;
    ExpertsProblem problem = *read;
    if (problem.quant != quant_) {
      return Refusal{Status::kUnsupported, "quant = " + quant_, "quant = " + problem.quant};
    }
    problem.backend = backend;
    problem.ownership = "owner";
    return problem;
  }

  bool same_layer(const ExpertsProblem& p) const {
    return p.h == layer_->h && p.i == layer_->i && p.e == layer_->e &&
           p.activation == layer_->activation && p.has_bias == layer_->has_bias;
  }

  bool has_path(std::string_view backend) const {
    const auto paths = all_expert_paths();
    return std::any_of(paths.begin(), paths.end(), [&](const ExpertPath* path) {
      return path->backend == backend && path->quant == quant_;
    });
  }

  /// Plain weights → what the backend's kernels take; a backend without kernels here keeps them.
  std::optional<Refusal> pack(const std::string& backend, Tensors plain) {
    ExpertsProblem problem = *layer_;
    problem.backend = backend;
    if (!has_path(backend)) {
      record_ = {backend, std::move(plain), {}};
    } else {
      if (auto refusal = refuse_layer(problem, switches::value_of("lightop_library"))) {
        return refusal;
      }
      const ExpertPath& path = select_path(problem, *around_.identities);
      record_ = pack_for(path, problem, views_of(plain), around_.fault);
      std::erase_if(record_.tensors,
                    [](const auto& named) { return named.first.starts_with(kParameters); });
    }
    packed_for_ = backend;
    return std::nullopt;
  }

  /// The mistake of packing what has been packed: its bytes taken for plain weights.
  void pack_again(const std::string& backend) {
    Tensors plain = weights_.tensors();
    for (auto& [name, tensor] : plain) {
      const auto packed = record_.tensors.find(name);
      if (packed == record_.tensors.end()) continue;
      std::copy_n(packed->second.data.begin(),
                  std::min(packed->second.data.size(), tensor.data.size()), tensor.data.begin());
    }
    static_cast<void>(pack(backend, std::move(plain)));
  }

  /// gemm1_* for an owner on the TRT-LLM family: what the config leaves out stays absent.
  void write_parameters(const std::string& backend) {
    if (rules_.removes_stale_parameters) parameters_.clear();
    const bool allowed = runner_.has_value() || !rules_.parameters_need_ownership;
    const Activation& act = layer_->activation;
    if (!allowed || !is_trtllm_family(backend) || act.kind != Activation::Kind::kSwiglu) return;
    parameters_["gemm1_alpha"] = one_each(layer_->e, act.alpha);
    parameters_["gemm1_beta"] = one_each(layer_->e, act.beta);
    if (act.limit > 0.0 || rules_.absent_limit_is_zero) {
      parameters_["gemm1_clamp_limit"] = one_each(layer_->e, act.limit);
    }
  }

  std::optional<Refusal> refuse_state() const {
    if (!runner_) return Refusal{Status::kState, "the method owns a runner", "it has none"};
    if (!packed_for_) {
      return Refusal{Status::kState, "process_weights before apply", "not processed"};
    }
    if (runner_->backend != *packed_for_) {
      return Refusal{Status::kState, "weights are packed for the runner's backend",
                     "packed for " + *packed_for_ + ", the runner is " + runner_->backend};
    }
    const bool wanted =
        is_trtllm_family(runner_->backend) && layer_->activation.kind == Activation::Kind::kSwiglu;
    if (wanted && parameters_.empty()) {
      return Refusal{Status::kState, "gemm1_alpha and gemm1_beta are on the layer",
                     "they are absent"};
    }
    return std::nullopt;
  }

  /// The parameters belong to TRT-LLM's record alone. They may also lie on the layer of another
  /// runner, whose weights were processed again after the switch had been turned.
  QuantRecord record_with_parameters() const {
    QuantRecord record = record_;
    if (!is_trtllm_family(runner_->backend)) return record;
    for (const auto& [name, tensor] : parameters_) record.tensors[name] = tensor;
    return record;
  }

  Answer run(const ExpertsProblem& p, const QuantRecord& record, const TensorViews& inputs,
             std::byte* out) const {
    const ExpertPath& path = select_path(p, *around_.identities);
    return on_device(around_.device, [&] {
      path.run({p, record, inputs, around_.fault, around_.wave, out});
      Answer answer;
      answer.path = path.name;
      answer.wrote_in_place = {"out"};
      return answer;
    });
  }

  std::string quant_;
  bool borrowed_;
  MethodSurroundings around_;
  MethodRules rules_;
  std::optional<ExpertsProblem> layer_;
  LoadedWeights weights_;
  std::optional<Runner> runner_;
  std::optional<std::string> packed_for_;
  QuantRecord record_;
  Tensors parameters_;
};

}  // namespace

std::unique_ptr<Method> make_quant_method(std::string_view quant, std::string_view holder,
                                          const MethodSurroundings& surroundings) {
  constexpr auto kQuants =
      std::to_array<std::string_view>({"bf16", "fp8_block128", "w8a8_int8", "w8a8_fp8_channel"});
  constexpr auto kOwners = std::to_array<std::string_view>({"direct", "scheme", "wrapper_kt"});
  constexpr auto kBorrowers = std::to_array<std::string_view>(
      {"mxfp4_trtllm", "mxfp4_cutlass", "mxfp4_marlin", "mxfp4_humming"});
  const auto is_one = [](const auto& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const bool borrowed = is_one(kBorrowers, holder);
  if (!is_one(kQuants, quant) || !(borrowed || is_one(kOwners, holder))) return nullptr;
  if (borrowed && quant != "fp8_block128") return nullptr;
  return std::make_unique<QuantMethod>(quant, borrowed, surroundings);
}

}  // namespace plumbline::device
