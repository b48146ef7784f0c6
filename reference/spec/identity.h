#pragma once
#include <span>
#include <string_view>

/// The tagged types of the engine's MoE layer, their values and the predicates of each, as data.
namespace plumbline {

/// A value with the predicates of its type that hold of it; all others of the type do not.
struct TaggedValue {
  std::string_view name;
  std::string_view holds;  ///< predicates, one blank between two: "is_marlin is_auto"
  bool holds_of(std::string_view predicate) const;
};

/// A type whose values are told apart by predicates of its own. A predicate asked of another type
/// is refused, never false. Aliases and unions are data: is_flashinfer_trtllm also holds of
/// experimental_sgl_trtllm.
struct TaggedType {
  std::string_view name;  ///< "runner_backend"
  std::span<const TaggedValue> values;
  std::span<const std::string_view> predicates;

  const TaggedValue* value(std::string_view name) const;
  bool has_predicate(std::string_view predicate) const;
};

/// runner_backend (auto included), a2a_backend, dispatch_format, combine_format, dispatch_dtype,
/// deepep_mode, deepep_v2_scale_format (the tuple's flags name the value).
std::span<const TaggedType> all_tagged_types();
const TaggedType* find_tagged_type(std::string_view name);

}  // namespace plumbline
