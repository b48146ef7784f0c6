#include "conformance/golden/check.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/cli/commands.h"
#include "conformance/golden/profile_json.h"
#include "conformance/golden/safetensors.h"
#include "conformance/golden/strict_json.h"
#include "reference/spec/verdict.h"

namespace plumbline::cli {
namespace {

struct CheckOptions {
  std::vector<std::string> files;
  std::string profile;
  bool json = false;
};

std::optional<Profile> profile_of(const std::string& path) {
  if (path.empty()) return std::nullopt;
  const std::vector<std::byte> bytes = golden::read_file(path);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return golden::profile_from_json(golden::strict_json(text, path, ""), path, "profile");
}

/// Every file is judged, whatever the ones before it held.
int check(const CheckOptions& options) {
  const std::optional<Profile> profile = profile_of(options.profile);
  std::vector<golden::FileResult> results;
  int exit = 0;
  for (const std::string& file : options.files) {
    golden::FileResult result = golden::check_file(file, profile);
    exit = worse_exit(exit, golden::exit_of(result));
    if (!options.json) std::cout << golden::to_text(result) << std::flush;
    if (!result.error.empty()) std::cerr << "plumbline: " << result.error << std::endl;
    if (options.json) results.push_back(std::move(result));
  }
  if (options.json) std::cout << golden::to_json(results).dump(2) << "\n";
  return exit;
}

}  // namespace

void add_check(CLI::App& app, int& exit) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command =
      app.add_subcommand("check", "judge results that others computed: case files, formats.json");
  command->add_option("files", options->files, "safetensors case files or formats.json")
      ->required();
  command->add_option("--profile", options->profile,
                      "JSON file: the promise to judge every device.NAME under");
  command->add_flag("--json", options->json, "print the results as a JSON array");
  command->callback([options, &exit] { exit = check(*options); });
}

}  // namespace plumbline::cli
