#pragma once
#include <optional>
#include <span>
#include <string_view>

#include "reference/spec/format.h"

namespace plumbline {

/// A runner backend of the engine. `alias_of` names the backend whose predicate it shares, as the
/// two experimental backends do; empty for all others.
struct RunnerBackend {
  std::string_view name;
  std::string_view alias_of;
};

/// The full list of runner backends (`auto` is a contract outcome only and not in the grid).
std::span<const RunnerBackend> all_runner_backends();

/// What shares one scale.
enum class Granularity : std::uint8_t { kNone, kTensor, kChannel, kToken, kBlock };

/// How a scale comes from the largest magnitude of what shares it (formulas: formats/scale_rule.h).
enum class ScaleRule : std::uint8_t {
  kNone,       ///< nothing is scaled
  kAmax,       ///< amax / largest code
  kE8m0Floor,  ///< the power of two of the OCP MX specification
  kE8m0Ceil,   ///< the next power of two not below amax / largest code
  kNvfp4,      ///< an e4m3fn scale under one fp32 scale of the whole tensor
};
std::string_view name_of(ScaleRule rule);

/// How the tensors of an expert layer are quantised, as data.
struct QuantScheme {
  std::string_view name;     ///< as in case ids: "fp8_block128"
  DType weight;              ///< element of the weights
  Granularity weight_scale;  ///< what shares a weight scale
  int weight_block;          ///< rows and columns of a weight block; 0: not blocked
  DType activation;          ///< element of the activations inside the products
  Granularity activation_scale;
  int activation_group;  ///< elements of one token that share a scale; 0: not grouped
  DType scale;           ///< type of the scales
};

std::span<const QuantScheme> all_quant_schemes();
std::optional<QuantScheme> quant_from_name(std::string_view name);

/// Who holds a quant method. Borrowers load and process weights through it for layers of their own;
/// their create_runner never reaches it.
struct MethodHolder {
  std::string_view name;  ///< direct, scheme, wrapper_kt, mxfp4_trtllm, …
  bool borrows;
};
std::span<const MethodHolder> all_method_holders();
const MethodHolder* find_method_holder(std::string_view name);

/// How a quant method came by its runner, or why it has none: who holds it, and the order of calls
/// that stands for it. `{backend}` in the calls is the case's own backend.
struct Ownership {
  std::string_view name;    ///< as in case ids: "borrower_trtllm"
  std::string_view holder;  ///< of all_method_holders
  std::string_view calls;   ///< words of moe.method's axis calls
};
std::span<const Ownership> all_ownership_rows();
const Ownership* find_ownership(std::string_view name);
/// Their names, in the same order.
std::span<const std::string_view> all_ownerships();

}  // namespace plumbline
