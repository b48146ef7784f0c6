#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "device/abi/implementation.h"
#include "reference/spec/problems.h"

/// The paths of the expert layer. Each is a packer, a record, a decomposition and kernels of its
/// own; adding one touches its own files and the list in paths.cpp.
namespace plumbline::device {

struct Fault;

/// One run of an expert path. Everything has been checked.
///
/// An observer is shown, by row of (token · k + choice); rows of choices without an
/// expert are undefined. triton: gate_up bf16 [t·k, 2i], activated bf16 [t·k, i], weighted bf16
/// [t·k, h]. flashinfer_trtllm_routed: activated bf16 [t·k, i], sums f32 [t·k, h]. lightop keeps
/// its rows by expert: row_slot i32 [t·k] names the choice of each row, then activated and sums as
/// before.
struct ExpertCall {
  const ExpertsProblem& problem;
  const QuantRecord& record;  ///< weights, scales and biases as the path packs them
  const TensorViews& inputs;  ///< x, topk_ids, topk_weights
  const Fault* fault;         ///< null: the correct kernels
  int wave;                   ///< lanes of a wave of the device
  std::byte* out;             ///< io [t, h], host memory
  const Observer* observer = nullptr;
};

struct ExpertPath {
  std::string_view backend;     ///< "lightop"
  std::string_view quant;       ///< "w8a8_int8"
  std::string_view pack;        ///< word of the pack axis: "plain", "kpack2"
  std::string_view name;        ///< what it reports as the path really run: "lightop/w8a8_int8"
  std::string_view record_tag;  ///< "lightop"
  /// The manifest's row.
  OfferedPath (*offer)();
  /// What the path does not take beyond names and tensors: activation, bias, sizes.
  std::optional<Refusal> (*refuse)(const ExpertsProblem&);
  /// Plain weights (those of `moe.experts`, checked) → the path's record.
  QuantRecord (*pack_weights)(const ExpertsProblem&, const TensorViews&);
  /// Tag first, then flags, tensors, shapes.
  std::optional<Refusal> (*refuse_record)(const ExpertsProblem&, const QuantRecord&);
  /// Throws DeviceError.
  void (*run)(const ExpertCall&);
  /// Whether the vendor's library, as the switch lightop_library says it is, has what the path
  /// calls; null: the path needs none.
  std::optional<Refusal> (*refuse_library)(std::string_view library) = nullptr;
};

/// Every path, in the order in which the engine's dispatcher asks for them; triton, its default,
/// comes last.
std::span<const ExpertPath* const> all_expert_paths();

}  // namespace plumbline::device
