#include "conformance/golden/weights.h"

#include <algorithm>
#include <string>

#include "conformance/golden/sha256.h"
#include "reference/spec/status.h"

namespace plumbline::golden {
namespace {

using nlohmann::json;

/// A tensor that is named and not held.
struct Reference {
  std::string name;
  std::string sha256;
  TensorSpec spec;
};

const json& member(const CaseFile& file, const json& object, const std::string& name,
                   const char* field) {
  const auto it = object.is_object() ? object.find(field) : object.end();
  if (it == object.end()) file.refuse_key("weights." + name, std::string("has no field ") + field);
  return *it;
}

bool is_hash(const json& value) {
  if (!value.is_string()) return false;
  const auto text = value.get<std::string>();
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Reference reference_of(const CaseFile& file, const std::string& name, const json& object) {
  const std::string key = "weights." + name;
  const json& hash = member(file, object, name, "sha256");
  if (!is_hash(hash)) file.refuse_key(key + ".sha256", "must be 64 hex digits in lower case");
  const json& word = member(file, object, name, "dtype");
  const auto dtype =
      word.is_string() ? dtype_from_safetensors(word.get<std::string>()) : std::nullopt;
  if (!dtype) file.refuse_key(key + ".dtype", "unknown dtype " + shown(word));
  Reference reference{name, hash.get<std::string>(), {}};
  reference.spec.dtype = *dtype;
  const json& shape = member(file, object, name, "shape");
  if (!shape.is_array()) file.refuse_key(key + ".shape", "must be an array");
  // Three dimensions below 2^20 cannot overflow.
  for (const json& size : shape) {
    const bool fits = size.is_number_unsigned() && size.get<std::uint64_t>() < 1U << 20;
    if (!fits || shape.size() > 3) {
      file.refuse_key(key + ".shape", "at most 3 sizes below 2^20, not " + shown(shape));
    }
    reference.spec.shape.push_back(size.get<std::int64_t>());
  }
  return reference;
}

Tensor load(const CaseFile& file, const Reference& reference, const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "weights" / (reference.sha256 + ".bin");
  Tensor tensor{reference.spec, read_file(path)};
  if (static_cast<std::int64_t>(tensor.data.size()) != reference.spec.bytes()) {
    file.refuse_key("weights." + reference.name,
                    reference.spec.text() + " takes " + std::to_string(reference.spec.bytes()) +
                        " bytes, " + path.string() + " has " + std::to_string(tensor.data.size()));
  }
  if (sha256(tensor.data) != reference.sha256) {
    file.refuse_key("weights." + reference.name, path.string() + " has another hash");
  }
  return tensor;
}

}  // namespace

void load_weights(CaseFile& file, const std::filesystem::path& folder) {
  const std::optional<json> weights = file.json("weights");
  if (!weights) return;
  if (!weights->is_object()) file.refuse_key("weights", "must be a JSON object: tensor to hash");
  for (const auto& [name, object] : weights->items()) {
    const Reference reference = reference_of(file, name, object);
    if (file.find(name) != nullptr) {
      file.refuse_tensor(name, "stands in the file and in metadata weights");
    }
    file.tensors.emplace(name, load(file, reference, folder));
  }
}

}  // namespace plumbline::golden
