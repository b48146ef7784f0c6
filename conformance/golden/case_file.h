#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/golden/safetensors.h"
#include "conformance/golden/strict_json.h"
#include "reference/spec/tensor.h"

namespace plumbline::golden {

/// A case file as reference/spec/casefile.md describes it: a safetensors file whose metadata states
/// what its tensors mean. Every accessor throws BadInput naming the file, the place and the rule.
struct CaseFile {
  std::string file;  ///< name for messages
  std::map<std::string, std::string, std::less<>> metadata;
  Tensors tensors;

  /// Text of a metadata key; nullopt: not there.
  std::optional<std::string> text(std::string_view key) const;
  /// A finite number, such as scale and softcap.
  std::optional<double> number(std::string_view key) const;
  /// A decimal integer of at least 0, such as Sq and window.
  std::optional<std::int64_t> count(std::string_view key) const;
  /// "true" or "false".
  std::optional<bool> flag(std::string_view key) const;
  /// A JSON value, such as activation and routing.
  std::optional<nlohmann::json> json(std::string_view key) const;

  const Tensor* find(std::string_view name) const;
  /// A tensor that must be there, with as many dimensions.
  const Tensor& require(std::string_view name, std::size_t rank) const;
  /// As `require`, with this very shape; `reason` says where the shape comes from.
  const Tensor& require_shape(std::string_view name, const std::vector<std::int64_t>& shape,
                              std::string_view reason) const;
  /// NAME of every tensor device.NAME, in order.
  std::vector<std::string> devices() const;

  /// Throws BadInput at a metadata key or at a tensor of this file.
  [[noreturn]] void refuse_key(std::string_view key, std::string_view rule) const;
  [[noreturn]] void refuse_tensor(std::string_view name, std::string_view rule) const;
};

/// A case file from its bytes. Throws BadInput as parse_safetensors.
CaseFile parse_case_file(std::span<const std::byte> bytes, std::string_view file);

/// The number that a text spells, nothing before or after it; nullopt: none, or not finite.
std::optional<double> number_of(std::string_view text);

/// "[13, 32]"
std::string text_of(const std::vector<std::int64_t>& shape);

}  // namespace plumbline::golden
