#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "conformance/cli/commands.h"
#include "reports/reports.h"

namespace plumbline::cli {

void add_report(CLI::App& app, int& exit) {
  CLI::App* command = app.add_subcommand(
      "report", "Write the tables and the page of a run again, from its journal");
  const auto folders = std::make_shared<std::vector<std::string>>();
  command->add_option("DIR", *folders, "out directories of runs, each with plan.json")->required();
  command->callback([folders, &exit] {
    for (const std::string& folder : *folders) {
      reports::write_all(folder);
      const std::string page = (std::filesystem::path(folder) / "report.html").string();
      std::printf("%s\n%s\n", reports::summary_sentence(folder).c_str(), page.c_str());
    }
    exit = 0;
  });
}

}  // namespace plumbline::cli
