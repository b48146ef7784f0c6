#include "conformance/cli/options.h"

#include <charconv>
#include <cstdint>
#include <system_error>

#include "device/abi/library.h"
#include "reference/spec/status.h"

namespace plumbline::cli {
namespace {

/// CLI11 takes "-1" for 2^64 − 1 and cuts off what is larger.
CLI::Validator seed_text() {
  const auto check = [](const std::string& text) -> std::string {
    std::uint64_t seed = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, seed);
    if (error == std::errc() && stop == end) return "";
    return "must be an integer from 0 to 2^64 - 1, not \"" + text + "\"";
  };
  return CLI::Validator(check, "");
}

void refuse_device_options(const Chosen& chosen) {
  if (chosen.implementation.empty()) throw BadInput("--implementation", "", "names a file");
  if (chosen.target == "host" && chosen.wave == 0) return;
  throw BadInput("--target and --wave", "", "choose a device of the embedded implementation alone");
}

}  // namespace

void add_implementation_options(CLI::App& command, Chosen& chosen) {
  command
      .add_option("--implementation", chosen.implementation,
                  "what to test: embedded, or FILE.so behind the C ABI")
      ->capture_default_str();
  command
      .add_option("--target", chosen.target, "what the embedded one runs on: host, amd or nvidia")
      ->capture_default_str();
  command.add_option("--wave", chosen.wave, "lanes a wave: 64 or 32 on host; GPUs have their own");
}

std::string text_of(const Chosen& chosen) {
  std::string text;
  if (chosen.implementation != "embedded") text += " --implementation " + chosen.implementation;
  if (chosen.target != "host") text += " --target " + chosen.target;
  if (chosen.wave != 0) text += " --wave " + std::to_string(chosen.wave);
  return text;
}

std::vector<std::string> child_command(const Chosen& chosen) {
  if (chosen.implementation == "embedded" || chosen.in_process) return {};
  refuse_device_options(chosen);
  return {"/proc/self/exe", "serve-cases", "--implementation", chosen.implementation};
}

std::unique_ptr<Implementation> make_implementation(const Chosen& chosen) {
  if (chosen.implementation == "embedded") {
    const bool known =
        chosen.target == "host" || chosen.target == "amd" || chosen.target == "nvidia";
    if (!known) throw BadInput("--target", chosen.target, "is host, amd or nvidia");
    const int wave = chosen.wave == 0 && chosen.target == "host" ? 64 : chosen.wave;
    return make_embedded({wave, "", chosen.target});
  }
  if (chosen.implementation.starts_with("exec:")) {
    throw BadInput("--implementation", chosen.implementation,
                   "workers are not offered yet; embedded and FILE.so are");
  }
  refuse_device_options(chosen);
  return open_library(chosen.implementation, {});
}

void add_case_options(CLI::App& command, Picked& picked) {
  command.add_option("--suite", picked.suite, "smoke, ci, full, sanitizer or a suite file")
      ->capture_default_str();
  command.add_option("--filter", picked.filter,
                     "only these: a prefix of case ids with *, or axis=value,…");
  command.add_option("--seed", picked.seed, "added to the seeds of the suite")
      ->check(seed_text())
      ->capture_default_str();
}

run::Selection selection_of(const Picked& picked) {
  run::Selection selection;
  selection.suite = picked.suite;
  selection.filter = cases::Filter::parse(picked.filter);
  selection.seed = picked.seed;
  return selection;
}

}  // namespace plumbline::cli
