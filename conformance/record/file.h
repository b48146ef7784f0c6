#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace plumbline::record {

/// The bytes of a file. Throws BadInput(file, "", "can be read") where there is none.
std::string read_file(const std::filesystem::path& file);

/// Writes all bytes to a descriptor; `file` is its name in the BadInput thrown where it fails.
void write_all(int descriptor, std::string_view text, std::string_view file);

/// Writes `text` to a file beside `file` and renames it over `file`, so that nothing half-written
/// is ever seen under that name. Throws BadInput naming the file.
void replace_file(const std::filesystem::path& file, std::string_view text);

}  // namespace plumbline::record
