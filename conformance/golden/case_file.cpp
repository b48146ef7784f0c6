#include "conformance/golden/case_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "reference/spec/status.h"

namespace plumbline::golden {
namespace {

std::string tensor_place(std::string_view name) { return "tensor " + shown(std::string(name)); }

/// Sizes that no bytes stand behind cost nothing to write and would be looped over all the same.
void check_empty(const CaseFile& file, const std::string& name, const TensorSpec& spec) {
  constexpr std::int64_t kMost = 1 << 20;
  if (spec.elements() != 0) return;
  std::int64_t others = 1;
  for (const std::int64_t size : spec.shape) {
    if (size > kMost || others > kMost) break;
    others *= std::max<std::int64_t>(size, 1);
  }
  const bool large = std::any_of(spec.shape.begin(), spec.shape.end(),
                                 [](std::int64_t size) { return size > kMost; });
  if (!large && others <= kMost) return;
  file.refuse_tensor(
      name, "is empty, but its other sizes multiply to more than 2^20: " + text_of(spec.shape));
}

}  // namespace

std::optional<std::string> CaseFile::text(std::string_view key) const {
  const auto it = metadata.find(key);
  if (it == metadata.end()) return std::nullopt;
  return it->second;
}

std::optional<double> CaseFile::number(std::string_view key) const {
  const std::optional<std::string> value = text(key);
  if (!value) return std::nullopt;
  const std::optional<double> number = number_of(*value);
  if (!number) refuse_key(key, "must be a finite number, not " + shown(*value));
  return number;
}

std::optional<std::int64_t> CaseFile::count(std::string_view key) const {
  const std::optional<std::string> value = text(key);
  if (!value) return std::nullopt;
  std::int64_t count = 0;
  const char* end = value->data() + value->size();
  const auto [stop, error] = std::from_chars(value->data(), end, count);
  if (error != std::errc() || stop != end || count < 0) {
    refuse_key(key, "must be an integer of at least 0, not " + shown(*value));
  }
  return count;
}

std::optional<bool> CaseFile::flag(std::string_view key) const {
  const std::optional<std::string> value = text(key);
  if (!value) return std::nullopt;
  if (*value != "true" && *value != "false") {
    refuse_key(key, "must be \"true\" or \"false\", not " + shown(*value));
  }
  return *value == "true";
}

std::optional<nlohmann::json> CaseFile::json(std::string_view key) const {
  const std::optional<std::string> value = text(key);
  if (!value) return std::nullopt;
  return strict_json(*value, file, "metadata " + std::string(key));
}

const Tensor* CaseFile::find(std::string_view name) const {
  const auto it = tensors.find(name);
  return it == tensors.end() ? nullptr : &it->second;
}

const Tensor& CaseFile::require(std::string_view name, std::size_t rank) const {
  const Tensor* tensor = find(name);
  if (tensor == nullptr) refuse_tensor(name, "is missing; the kind of this file needs it");
  if (tensor->spec.shape.size() != rank) {
    refuse_tensor(name, "must have " + std::to_string(rank) + " dimensions, not " +
                            text_of(tensor->spec.shape));
  }
  return *tensor;
}

const Tensor& CaseFile::require_shape(std::string_view name, const std::vector<std::int64_t>& shape,
                                      std::string_view reason) const {
  const Tensor* tensor = find(name);
  if (tensor == nullptr) refuse_tensor(name, "is missing; the kind of this file needs it");
  if (tensor->spec.shape != shape) {
    refuse_tensor(name, "has shape " + text_of(tensor->spec.shape) + ", but " +
                            std::string(reason) + " ask for " + text_of(shape));
  }
  return *tensor;
}

std::vector<std::string> CaseFile::devices() const {
  constexpr std::string_view kPrefix = "device.";
  std::vector<std::string> names;
  for (auto it = tensors.lower_bound(kPrefix); it != tensors.end(); ++it) {
    if (!it->first.starts_with(kPrefix)) break;
    names.push_back(it->first.substr(kPrefix.size()));
  }
  return names;
}

void CaseFile::refuse_key(std::string_view key, std::string_view rule) const {
  throw BadInput(file, "metadata " + std::string(key), rule);
}

void CaseFile::refuse_tensor(std::string_view name, std::string_view rule) const {
  throw BadInput(file, tensor_place(name), rule);
}

CaseFile parse_case_file(std::span<const std::byte> bytes, std::string_view file) {
  Safetensors content = parse_safetensors(bytes, file);
  CaseFile parsed{std::string(file), std::move(content.metadata), std::move(content.tensors)};
  for (const auto& [name, tensor] : parsed.tensors) check_empty(parsed, name, tensor.spec);
  return parsed;
}

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::string text_of(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (const std::int64_t size : shape) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(size);
  }
  return text + "]";
}

}  // namespace plumbline::golden
