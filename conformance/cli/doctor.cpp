#include <sys/utsname.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "conformance/cli/commands.h"
#include "reference/spec/status.h"

namespace plumbline::cli {
namespace {

/// One thing that something of the project wants, and what this machine has.
struct Finding {
  std::string what;
  std::string wanted_by;  ///< the file that states the requirement
  std::string found;      ///< version or answer; empty: missing
  bool needed;            ///< false: only tests or other targets want it
};

constexpr const char* kPackageList = PLUMBLINE_SOURCE_DIR "/.ci/packages";

/// First line that a command prints, or "" where it fails.
std::string first_line(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::array<char, 256> buffer{};
  if (!pipe || std::fgets(buffer.data(), buffer.size(), pipe.get()) == nullptr) return "";
  std::string line(buffer.data());
  while (!line.empty() && line.back() == '\n') line.pop_back();
  return line;
}

std::vector<Finding> packages() {
  std::ifstream file(kPackageList);
  if (!file) throw BadInput(kPackageList, "", "the package list cannot be read");
  std::vector<Finding> findings;
  std::string line;
  std::string part = "[run]";
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] == '[') {
      part = line;
      continue;
    }
    const std::string name = line.substr(0, line.find(' '));
    findings.push_back({name, ".ci/packages " + part,
                        first_line("dpkg-query -W -f '${Version}' " + name + " 2>/dev/null"),
                        part == "[run]"});
  }
  return findings;
}

std::vector<Finding> targets() {
  return {
      {"target host", "device/hip/host", "built with " __VERSION__, true},
      {"target amd", "device/hip/amd", first_line("clang++-19 --version 2>/dev/null"), false},
      {"target nvidia", "device/hip/nvidia",
       first_line("PATH=$PATH:/usr/local/cuda/bin nvcc --version 2>/dev/null | tail -n 1"), false},
      {"ROCm", "device/hip/amd", first_line("ls -d /opt/rocm 2>/dev/null"), false},
      {"DTK", "device/hip/amd", first_line("ls -d /opt/dtk 2>/dev/null"), false},
  };
}

std::vector<Finding> machine() {
  utsname system{};
  uname(&system);
  const double gib = static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                     static_cast<double>(sysconf(_SC_PAGE_SIZE)) / (1024.0 * 1024.0 * 1024.0);
  std::array<char, 32> memory{};
  std::snprintf(memory.data(), memory.size(), "%.1f GiB", gib);
  return {{"system", "", std::string(system.sysname) + " " + system.release + " " + system.machine,
           false},
          {"cores", "", std::to_string(std::thread::hardware_concurrency()), false},
          {"memory", "", memory.data(), false}};
}

void print(const Finding& finding) {
  const bool missing = finding.found.empty();
  std::printf("%-8s %-24s %-44.44s %s\n", missing ? (finding.needed ? "MISSING" : "absent") : "ok",
              finding.what.c_str(), missing ? "not found" : finding.found.c_str(),
              finding.wanted_by.c_str());
}

void print_json(const std::vector<Finding>& findings) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Finding& finding : findings) {
    rows.push_back({{"what", finding.what},
                    {"wanted_by", finding.wanted_by},
                    {"found", finding.found},
                    {"needed", finding.needed}});
  }
  std::cout << nlohmann::json{{"findings", rows}}.dump(1) << '\n';
}

int doctor(bool json) {
  std::vector<Finding> findings = machine();
  for (auto list : {targets(), packages()}) {
    findings.insert(findings.end(), list.begin(), list.end());
  }
  int missing = 0;
  for (const Finding& finding : findings) {
    missing += finding.needed && finding.found.empty() ? 1 : 0;
    if (!json) print(finding);
  }
  if (json) {
    print_json(findings);
  } else {
    std::printf("%s\n", missing == 0 ? "everything that `run` needs is here"
                                     : "something that `run` needs is missing");
    std::printf("target amd has never run on AMD hardware; it is compiled and gated only\n");
  }
  return missing == 0 ? 0 : 2;
}

}  // namespace

void add_doctor(CLI::App& app, int& exit) {
  CLI::App* command = app.add_subcommand("doctor", "compares what is wanted with what is here");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "print the findings as JSON");
  command->callback([json, &exit] { exit = doctor(*json); });
}

}  // namespace plumbline::cli
