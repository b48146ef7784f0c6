#include "device/abi/library_file.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "device/abi/convert.h"
#include "device/abi/library.h"
#include "reference/spec/constraint.h"
#include "reference/spec/problems.h"

namespace plumbline {
namespace abi {
namespace {

constexpr const char* kEntry = "plumbline_get_interface";

/// What the manifest says at one place, as text.
class Reader {
 public:
  Reader(const std::string& file, std::string place) : file_(file), place_(std::move(place)) {}

  [[noreturn]] void fail(const std::string& rule) const { throw BadInput(file_, place_, rule); }

  std::string text(const char* value, const char* what) const {
    if (value == nullptr) fail(std::string(what) + " is a string, not null");
    std::string text(value);
    const auto control = [](unsigned char c) { return c < ' ' || c == 0x7f; };
    if (std::any_of(text.begin(), text.end(), control)) {
      fail(std::string(what) + " has no control characters");
    }
    return text;
  }
  /// Refuses a null array of more than nothing.
  void array(const void* data, std::int64_t count, const char* what) const {
    if (count < 0 || (count > 0 && data == nullptr)) {
      fail(std::string(what) + " has a count of 0 or more, and an array");
    }
  }
  std::vector<std::pair<std::string, std::string>> words(const plumbline_word* words,
                                                         std::int64_t count,
                                                         const char* what) const {
    array(words, count, what);
    std::vector<std::pair<std::string, std::string>> result;
    for (std::int64_t n = 0; n < count; ++n) {
      result.emplace_back(text(words[n].name, what), text(words[n].value, what));
    }
    return result;
  }
  std::vector<std::string> list(const char* const* words, std::int64_t count,
                                const char* what) const {
    array(words, count, what);
    std::vector<std::string> result;
    for (std::int64_t n = 0; n < count; ++n) result.push_back(text(words[n], what));
    return result;
  }

 private:
  const std::string& file_;
  std::string place_;
};

Profile profile_of(const plumbline_path& path, const Reader& reader) {
  Profile profile;
  for (const auto& [key, word] : reader.words(path.profile, path.profile_count, "profile")) {
    const std::string rule = set_word(profile, key, word);
    if (!rule.empty()) reader.fail(std::string("profile ").append(key).append(" ").append(rule));
  }
  return profile;
}

/// The operation's widest problem; an operation that nobody knows offers nothing.
Problem known_problem(const OfferedPath& path, const Reader& reader) {
  try {
    return widest_problem(path.op);
  } catch (const BadInput& error) {
    reader.fail(error.what());
  }
}

void read_axes(const plumbline_path& c, const Problem& widest, const Reader& reader,
               OfferedPath& path) {
  reader.array(c.axes, c.axis_count, "axes");
  for (std::int64_t n = 0; n < c.axis_count; ++n) {
    const std::string axis = reader.text(c.axes[n].axis, "axis");
    auto words = reader.list(c.axes[n].words, c.axes[n].word_count, axis.c_str());
    if (words.empty()) reader.fail("axis " + axis + " takes at least one word");
    if (widest.axis(axis).empty()) reader.fail(path.op + " has no axis \"" + axis + "\"");
    path.axes.emplace_back(axis, std::move(words));
  }
}

void read_constraints(const plumbline_path& c, const Problem& widest, const Reader& reader,
                      OfferedPath& path) {
  path.constraints = reader.list(c.constraints, c.constraint_count, "constraints");
  for (const std::string& constraint : path.constraints) {
    try {
      static_cast<void>(holds(constraint, widest));
    } catch (const BadInput& error) {
      reader.fail(error.what());
    }
    const std::string unknown = unknown_dimension(constraint, widest);
    if (unknown.empty()) continue;
    reader.fail(std::string("constraint \"")
                    .append(constraint)
                    .append("\": ")
                    .append(path.op)
                    .append(" has no dimension ")
                    .append(unknown));
  }
}

OfferedPath path_of(const std::string& file, const plumbline_path& c, std::int64_t index) {
  const std::string number = "path " + std::to_string(index);
  const Reader unnamed(file, number);
  OfferedPath path;
  path.name = unnamed.text(c.name, "name");
  const Reader reader(file, number + " (" + path.name + ")");
  path.op = reader.text(c.op, "op");
  const Problem widest = known_problem(path, reader);
  read_axes(c, widest, reader, path);
  read_constraints(c, widest, reader, path);
  path.traits = reader.words(c.traits, c.trait_count, "traits");
  path.profile = profile_of(c, reader);
  return path;
}

void require_functions(const std::string& file, const plumbline_interface& table) {
  const std::pair<const char*, bool> required[] = {
      {"open", table.open != nullptr},         {"close", table.close != nullptr},
      {"manifest", table.manifest != nullptr}, {"validate", table.validate != nullptr},
      {"run", table.run != nullptr},           {"answer_release", table.answer_release != nullptr}};
  for (const auto& [name, there] : required) {
    if (!there) throw BadInput(file, name, "is required and null");
  }
  const bool copies = table.allocate != nullptr && table.deallocate != nullptr &&
                      table.copy_to_device != nullptr && table.copy_to_host != nullptr;
  if (!copies && table.allocate != nullptr) {
    throw BadInput(file, "allocate", "comes with deallocate, copy_to_device and copy_to_host");
  }
}

void* handle_of(const std::string& file) {
  // A name without a slash would be looked for in the system's folders.
  const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    throw BadInput(file, "", std::string("does not load: ") + (why == nullptr ? "?" : why));
  }
  return handle;
}

}  // namespace

plumbline_interface load_interface(const std::string& file) {
  void* symbol = dlsym(handle_of(file), kEntry);
  if (symbol == nullptr) {
    throw BadInput(file, kEntry, "is not exported: not a library for plumbline");
  }
  const auto* given = reinterpret_cast<plumbline_get_interface_function>(symbol)();
  if (given == nullptr) throw BadInput(file, kEntry, "returned null");
  if (given->abi_version != PLUMBLINE_ABI_VERSION) {
    throw BadInput(file, "abi_version",
                   "is " + std::to_string(given->abi_version) + "; this plumbline speaks " +
                       std::to_string(PLUMBLINE_ABI_VERSION));
  }
  if (given->size < offsetof(plumbline_interface, allocate)) {
    throw BadInput(
        file, "size",
        "is " + std::to_string(given->size) + " bytes, less than the required functions");
  }
  plumbline_interface table{};
  std::memcpy(&table, given, std::min<std::size_t>(given->size, sizeof table));
  require_functions(file, table);
  return table;
}

Manifest manifest_of(const std::string& file, const plumbline_manifest* c) {
  const Reader reader(file, "manifest");
  if (c == nullptr) reader.fail("is not null");
  Manifest manifest;
  manifest.name = reader.text(c->name, "name");
  manifest.version = reader.text(c->version, "version");
  manifest.device = reader.text(c->device, "device");
  manifest.target = reader.text(c->target, "target");
  manifest.wave = c->wave;
  manifest.classified_errors = c->classified_errors != 0;
  if (c->memory != kDeviceCpu && c->memory != kDeviceCuda && c->memory != kDeviceRocm) {
    reader.fail("memory is 1 (CPU), 2 (CUDA) or 10 (ROCm), not " + std::to_string(c->memory));
  }
  reader.array(c->paths, c->path_count, "paths");
  for (std::int64_t n = 0; n < c->path_count; ++n) {
    manifest.paths.push_back(path_of(file, c->paths[n], n));
  }
  return manifest;
}

}  // namespace abi

void* symbol_of(const std::string& file, const char* name) {
  return dlsym(abi::handle_of(file), name);
}

}  // namespace plumbline
