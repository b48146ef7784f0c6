#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/spec/problems.h"
#include "reference/spec/status.h"

namespace plumbline::contract {

/// What is on the layer besides gemm1_*.
enum class LayerState : std::uint8_t {
  kEmpty,   ///< nothing
  kPlain,   ///< w13, w2 and the scales of the quant scheme, not all loaded perhaps
  kPacked,  ///< what the packer of `packed_for` makes of them; plain where it has no packer
};

/// A parameter tensor gemm1_…: f32 [e], every entry this value; nullopt: absent.
struct ActivationParameters {
  std::optional<double> alpha, beta, clamp_limit;
  friend bool operator==(const ActivationParameters&, const ActivationParameters&) = default;
};

/// What must hold after a call.
struct MethodExpectation {
  std::vector<Status> admissible;  ///< kOk alone, or the classes with which it must be refused
  bool owns = false;               ///< the flag; there is a runner exactly where it is set
  std::string runner;              ///< its backend
  LayerState layer = LayerState::kEmpty;
  bool loaded = false;     ///< plain weights have their values
  std::string packed_for;  ///< the backend that the switch named at the first process_weights
  ActivationParameters parameters;

  bool accepted() const { return admissible.front() == Status::kOk; }
};

/// The life cycle of a quant method, call by call.
///
/// weights: once. load: after weights, before the weights are processed. runner: clears ownership,
/// then sets it where the table says that a runner is constructed; a borrower's never reaches the
/// method. process: after load; packs once, for the backend that the switch names then; writes the
/// parameters for an owner while the switch names a TRT-LLM backend, and leaves none otherwise.
/// apply: an owner's, processed, packed for the runner's backend, with the parameters that the
/// activation has where the backend takes them; what else is refused with state, and a backend
/// without a kernel with unsupported. A refused call changes nothing but ownership.
class MethodModel {
 public:
  /// `has_kernel`: whether the implementation runs (and packs for) a backend with this layer.
  MethodModel(const MethodProblem& problem, std::function<bool(std::string_view)> has_kernel);

  /// Makes the call of a word of MethodProblem::call_words.
  MethodExpectation call(std::string_view word);
  /// The value that the switch runner_backend has now.
  const std::string& runner_switch() const { return switch_; }
  bool int4_on_hip() const { return int4_; }

 private:
  MethodExpectation answered(std::vector<Status> admissible) const;
  MethodExpectation create_runner();
  MethodExpectation process();
  MethodExpectation apply() const;
  std::string backend_now() const;
  bool library_lacks(std::string_view backend) const;
  void write_parameters(std::string_view backend);

  MethodProblem problem_;
  std::function<bool(std::string_view)> has_kernel_;
  bool borrowed_ = false;
  std::string switch_;
  bool int4_ = false;
  MethodExpectation now_;
};

}  // namespace plumbline::contract
