#include "conformance/golden/safetensors.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <utility>

#include "conformance/golden/strict_json.h"
#include "reference/spec/status.h"

namespace plumbline::golden {
namespace {

using nlohmann::json;

constexpr std::size_t kLengthBytes = 8;
constexpr std::string_view kMetadata = "__metadata__";

/// Where a tensor lies in the data part.
struct Extent {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string name;
};

std::string place_of(const std::string& tensor) { return "tensor " + shown(tensor); }

std::uint64_t little_endian(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = kLengthBytes; i-- > 0;) {
    value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  }
  return value;
}

std::string_view header_text(std::span<const std::byte> bytes, std::string_view file) {
  if (bytes.size() < kLengthBytes) {
    throw BadInput(file, "byte 0",
                   "a safetensors file begins with 8 bytes of header length; the "
                   "file has " +
                       std::to_string(bytes.size()) + " bytes");
  }
  const std::uint64_t length = little_endian(bytes);
  if (length > kMaxHeaderBytes) {
    throw BadInput(file, "header length",
                   "not a safetensors file: " + std::to_string(length) +
                       " bytes of header, at most " + std::to_string(kMaxHeaderBytes) +
                       " are read");
  }
  if (length > bytes.size() - kLengthBytes) {
    throw BadInput(file, "header length",
                   "the header has " + std::to_string(length) + " bytes, the file only " +
                       std::to_string(bytes.size() - kLengthBytes) +
                       " after its length: torn or foreign");
  }
  return {reinterpret_cast<const char*>(bytes.data()) + kLengthBytes,
          static_cast<std::size_t>(length)};
}

std::uint64_t unsigned_of(const json& value, std::string_view file, const std::string& place) {
  if (!value.is_number_unsigned()) {
    throw BadInput(file, place, "must be an integer of at least 0, not " + shown(value));
  }
  return value.get<std::uint64_t>();
}

const json& field(const json& entry, const char* name, std::string_view file,
                  const std::string& place) {
  const auto it = entry.find(name);
  if (it == entry.end()) throw BadInput(file, place, std::string("has no field ") + name);
  return *it;
}

TensorSpec spec_of(const json& entry, std::string_view file, const std::string& place) {
  const json& dtype = field(entry, "dtype", file, place);
  if (!dtype.is_string()) throw BadInput(file, place + ".dtype", "must be a string");
  const std::optional<DType> known = dtype_from_safetensors(dtype.get<std::string>());
  if (!known) throw BadInput(file, place + ".dtype", "unknown dtype " + shown(dtype));
  const json& shape = field(entry, "shape", file, place);
  if (!shape.is_array()) throw BadInput(file, place + ".shape", "must be an array");
  TensorSpec spec{.dtype = *known, .shape = {}, .layout = Layout::kLinear, .block = 0};
  // Products are kept below 2^56, so that bytes and offsets cannot overflow either.
  constexpr std::uint64_t kMostElements = std::uint64_t{1} << 56;
  std::uint64_t elements = 1;
  for (const json& size : shape) {
    const std::uint64_t value = unsigned_of(size, file, place + ".shape");
    if (value > kMostElements || (elements != 0 && value > kMostElements / elements)) {
      throw BadInput(file, place + ".shape", "overflows: " + shown(shape));
    }
    elements *= value;
    spec.shape.push_back(static_cast<std::int64_t>(value));
  }
  return spec;
}

Extent extent_of(const json& entry, const std::string& name, std::uint64_t data_bytes,
                 std::string_view file) {
  const std::string place = place_of(name) + ".data_offsets";
  const json& offsets = field(entry, "data_offsets", file, place_of(name));
  if (!offsets.is_array() || offsets.size() != 2) {
    throw BadInput(file, place, "must be [begin, end]");
  }
  const Extent extent{unsigned_of(offsets[0], file, place), unsigned_of(offsets[1], file, place),
                      name};
  if (extent.begin > extent.end || extent.end > data_bytes) {
    throw BadInput(file, place,
                   shown(offsets) + " is not inside the " + std::to_string(data_bytes) +
                       " bytes of data: torn or wrong");
  }
  return extent;
}

/// The tensors tile the data: each begins where the one before it ended.
void check_cover(std::vector<Extent> extents, std::uint64_t data_bytes, std::string_view file) {
  std::sort(extents.begin(), extents.end(), [](const Extent& a, const Extent& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::uint64_t covered = 0;
  for (const Extent& extent : extents) {
    if (extent.begin != covered) {
      throw BadInput(file, place_of(extent.name) + ".data_offsets",
                     (extent.begin < covered ? "overlaps the tensor before it: begins at "
                                             : "leaves a gap: begins at ") +
                         std::to_string(extent.begin) + ", not " + std::to_string(covered));
    }
    covered = extent.end;
  }
  if (covered != data_bytes) {
    throw BadInput(
        file, "data",
        "the tensors end at byte " + std::to_string(covered) + " of " + std::to_string(data_bytes));
  }
}

Tensor tensor_of(TensorSpec spec, const Extent& extent, std::span<const std::byte> data,
                 std::string_view file) {
  const auto wanted = static_cast<std::uint64_t>(spec.bytes());
  if (extent.end - extent.begin != wanted) {
    throw BadInput(file, place_of(extent.name),
                   spec.text() + " takes " + std::to_string(wanted) + " bytes, data_offsets give " +
                       std::to_string(extent.end - extent.begin));
  }
  const auto bytes = data.subspan(extent.begin, wanted);
  return Tensor{std::move(spec), {bytes.begin(), bytes.end()}};
}

void read_metadata(const json& entry, Safetensors& content, std::string_view file) {
  if (!entry.is_object()) throw BadInput(file, kMetadata, "must be an object of strings");
  for (const auto& [key, value] : entry.items()) {
    if (!value.is_string()) {
      throw BadInput(file, std::string(kMetadata) + "." + shown(key),
                     "all metadata values are strings, not " + shown(value));
    }
    content.metadata.emplace(key, value.get<std::string>());
  }
}

json header_of(const Safetensors& content) {
  json header = json::object();
  if (!content.metadata.empty()) header[std::string(kMetadata)] = content.metadata;
  std::uint64_t offset = 0;
  for (const auto& [name, tensor] : content.tensors) {
    const std::string_view word = format_of(tensor.spec.dtype).safetensors;
    if (word.empty()) {
      throw BadInput("", place_of(name),
                     std::string(name_of(tensor.spec.dtype)) + " has no safetensors dtype");
    }
    const std::uint64_t end = offset + tensor.data.size();
    header[name] = {{"dtype", word}, {"shape", tensor.spec.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  return header;
}

}  // namespace

Safetensors parse_safetensors(std::span<const std::byte> bytes, std::string_view file) {
  const std::string_view text = header_text(bytes, file);
  const json header = strict_json(text, file, "header");
  if (!header.is_object()) throw BadInput(file, "header", "must be a JSON object");
  const auto data = bytes.subspan(kLengthBytes + text.size());
  Safetensors content;
  std::vector<Extent> extents;
  for (const auto& [name, entry] : header.items()) {
    if (name == kMetadata) {
      read_metadata(entry, content, file);
      continue;
    }
    if (!entry.is_object()) throw BadInput(file, place_of(name), "must be an object");
    TensorSpec spec = spec_of(entry, file, place_of(name));
    extents.push_back(extent_of(entry, name, data.size(), file));
    content.tensors.emplace(name, tensor_of(std::move(spec), extents.back(), data, file));
  }
  check_cover(std::move(extents), data.size(), file);
  return content;
}

std::vector<std::byte> to_safetensors(const Safetensors& content) {
  std::string header = header_of(content).dump();
  header.resize((header.size() + kLengthBytes - 1) / kLengthBytes * kLengthBytes, ' ');
  std::vector<std::byte> bytes(kLengthBytes + header.size());
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    bytes[i] = static_cast<std::byte>(std::uint64_t{header.size()} >> (8 * i) & 0xFF);
  }
  std::memcpy(bytes.data() + kLengthBytes, header.data(), header.size());
  for (const auto& [name, tensor] : content.tensors) {
    bytes.insert(bytes.end(), tensor.data.begin(), tensor.data.end());
  }
  return bytes;
}

std::vector<std::byte> read_file(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw BadInput(path.string(), "", "no such file");
  if (std::filesystem::is_directory(status)) {
    throw BadInput(path.string(), "", "is a folder; name the files in it");
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw BadInput(path.string(), "", "cannot be read");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (stream.bad()) throw BadInput(path.string(), "", "cannot be read");
  if (text.empty()) throw BadInput(path.string(), "", "is empty");
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

Safetensors read_safetensors(const std::filesystem::path& path) {
  return parse_safetensors(read_file(path), path.string());
}

void write_safetensors(const std::filesystem::path& path, const Safetensors& content) {
  const std::vector<std::byte> bytes = to_safetensors(content);
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (!stream) throw BadInput(path.string(), "", "cannot be written");
}

}  // namespace plumbline::golden
