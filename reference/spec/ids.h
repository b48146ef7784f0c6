#pragma once
#include <optional>
#include <span>
#include <string_view>

#include "reference/spec/format.h"
#include "reference/spec/tensor.h"

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

/// How the tensors of an expert layer are quantised, as data. Shapes of the scales of a weight
/// [e, rows, cols]: kTensor [e], kChannel [e, rows], kBlock [e, ⌈rows/weight_block_rows⌉,
/// ⌈cols/weight_block⌉]; zero points stand beside them in the same shape; a global scale is f32
/// [e]. The names are those of the weight with _scale, _zero and _global_scale.
struct QuantScheme {
  std::string_view name;                          ///< as in case ids: "fp8_block128"
  DType weight = DType::kBf16;                    ///< element of the weights
  Granularity weight_scale = Granularity::kNone;  ///< what shares a weight scale
  int weight_block = 0;                           ///< columns of a weight block; 0: not blocked
  DType activation = DType::kBf16;                ///< element of the activations in the products
  Granularity activation_scale = Granularity::kNone;  ///< what shares an activation scale
  int activation_group = 0;   ///< elements of one token that share a scale; 0: not grouped
  DType scale = DType::kF32;  ///< type of the weight scales in memory
  int weight_block_rows = 0;  ///< rows of a weight block; 1: groups along a row, never partial
  int weight_bits = 0;        ///< significant bits of a weight code; 0: all of its type
  int zero_point = 0;         ///< the code that stands for 0 where there are no zero points
  bool zero_points = false;   ///< u8 tensor: the code that stands for 0, one beside each scale
  bool global_scale = false;  ///< fp32 scales of whole tensors on top of the scales of blocks
  ScaleRule weight_rule = ScaleRule::kNone;
  ScaleRule activation_rule = ScaleRule::kNone;
  DType activation_scale_type = DType::kF32;
  Layout scale_layout = Layout::kLinear;  ///< of the weight scales; packed: E8M0 bytes
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
