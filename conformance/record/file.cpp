#include "conformance/record/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "reference/spec/status.h"

namespace plumbline::record {

std::string read_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file)) {
    throw BadInput(file.string(), "", "must be a file that can be read");
  }
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_all(int descriptor, std::string_view text, std::string_view file) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw BadInput(file, std::strerror(errno), "cannot be written");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void replace_file(const std::filesystem::path& file, std::string_view text) {
  const std::string name = file.string();
  const std::string part = name + ".part." + std::to_string(::getpid());
  const int descriptor = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) throw BadInput(name, std::strerror(errno), "cannot be written");
  try {
    write_all(descriptor, text, name);
  } catch (const BadInput&) {
    ::close(descriptor);
    ::unlink(part.c_str());
    throw;
  }
  if (::close(descriptor) != 0 || ::rename(part.c_str(), name.c_str()) != 0) {
    const std::string why = std::strerror(errno);
    ::unlink(part.c_str());
    throw BadInput(name, why, "cannot be written");
  }
}

}  // namespace plumbline::record
