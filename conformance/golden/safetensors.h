#pragma once
#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/spec/tensor.h"

namespace plumbline::golden {

/// The content of one safetensors file. All metadata values are text.
struct Safetensors {
  std::map<std::string, std::string, std::less<>> metadata;
  Tensors tensors;
};

/// Largest header that is read, in bytes. The longest in use are a few MB.
inline constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;

/// Reads the format: 8 bytes little-endian header length, a JSON object (name → dtype, shape,
/// data_offsets; `__metadata__` → text by text), then the bytes of the tensors, which cover the
/// rest of the file without gaps and overlaps. Throws BadInput naming `file`, the place (a tensor,
/// a byte) and the rule for everything else: a torn file, foreign content, unknown dtypes, names
/// that stand twice, shapes that are negative or overflow, sizes that contradict the shape.
Safetensors parse_safetensors(std::span<const std::byte> bytes, std::string_view file);

/// The bytes of a file that parse_safetensors reads back to the same content: tensors in the order
/// of their names, the header padded with blanks to a multiple of 8.
/// Throws BadInput for a dtype that safetensors has no word for.
std::vector<std::byte> to_safetensors(const Safetensors& content);

/// All bytes of a file. Throws BadInput where it is missing, a folder, unreadable or empty.
std::vector<std::byte> read_file(const std::filesystem::path& path);

/// parse_safetensors of a file on disk.
Safetensors read_safetensors(const std::filesystem::path& path);
/// Writes to_safetensors to disk. Throws BadInput where the file cannot be written.
void write_safetensors(const std::filesystem::path& path, const Safetensors& content);

}  // namespace plumbline::golden
