#include <unistd.h>

#include <filesystem>
#include <string>

#include "device/abi/embedded_extras.h"
#include "device/abi/implementation.h"
#include "device/abi/library.h"

/// The embedded implementation as the program uses it: out of its library, through the C ABI.
namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// Beside the program (build folder), else where an installed program keeps its libraries.
std::string library_file(const std::string& target) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const std::string name = "libplumbline_" + target + ".so";
  const fs::path beside = program.parent_path() / name;
  if (fs::exists(beside, error)) return beside.string();
  const fs::path installed = program.parent_path().parent_path() / "lib" / "plumbline" / name;
  if (fs::exists(installed, error)) return installed.string();
  throw BadInput("--target", target,
                 "was not built: no " + name + " beside the program (README, \"Targets\")");
}

const plumbline_embedded_extras& extras() {
  const std::string file = library_file("host");
  void* symbol = symbol_of(file, "plumbline_get_embedded_extras");
  if (symbol == nullptr) throw BadInput(file, "plumbline_get_embedded_extras", "is not exported");
  return *reinterpret_cast<plumbline_get_embedded_extras_function>(symbol)();
}

}  // namespace

std::unique_ptr<Implementation> make_embedded(const EmbeddedOptions& options) {
  LibraryOptions words = {{"wave", std::to_string(options.wave)}};
  if (!options.fault.empty()) words.emplace_back("fault", options.fault);
  return open_library(library_file(options.target), words);
}

std::vector<FaultInfo> all_faults() {
  const plumbline_embedded_extras& from = extras();
  std::vector<FaultInfo> faults;
  for (std::int64_t n = 0; n < from.fault_count; ++n) {
    const plumbline_planted_fault& fault = from.faults[n];
    faults.push_back({fault.name, fault.fault_class, fault.mistake, fault.expected_lane,
                      fault.pattern, fault.wave});
  }
  return faults;
}

double embedded_bench(const char* name) { return extras().bench(name); }

}  // namespace plumbline
