#pragma once
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "conformance/cases/filter.h"
#include "conformance/run/plan.h"
#include "device/abi/implementation.h"

namespace plumbline::cli {

/// What is under test, as the options say it.
struct Chosen {
  std::string implementation = "embedded";
  std::string target = "host";
  bool in_process = false;  ///< a library runs in this process, where a debugger can see it
  int wave = 0;             ///< 0: 64 on host, what the device has elsewhere
};
void add_implementation_options(CLI::App& command, Chosen& chosen);
/// Throws BadInput for an implementation, target or wave that is not offered.
std::unique_ptr<Implementation> make_implementation(const Chosen& chosen);

/// The options that choose the same again, each with a leading space.
std::string text_of(const Chosen& chosen);
/// The command of a child that runs single cases of it; empty: they run in this process.
std::vector<std::string> child_command(const Chosen& chosen);

/// Which cases, as the options say it.
struct Picked {
  std::string suite = "smoke";
  std::string filter;
  std::uint64_t seed = 0;
};
void add_case_options(CLI::App& command, Picked& picked);
/// Throws BadInput for a filter that cannot be read.
run::Selection selection_of(const Picked& picked);

}  // namespace plumbline::cli
