#pragma once
#include <CLI/CLI.hpp>

/// The commands of the program. Each function adds one to `app`; where the command is given, its
/// callback runs it and stores the exit status in `exit`. Bad input is thrown as BadInput, which
/// main prints as one line, exit 2.
namespace plumbline::cli {

void add_run(CLI::App& app, int& exit);
/// Not for people: the child of `run` that runs single cases (conformance/run/isolated.h).
void add_serve_cases(CLI::App& app, int& exit);
void add_replay(CLI::App& app, int& exit);
void add_list(CLI::App& app, int& exit);
void add_prove(CLI::App& app, int& exit);
void add_check(CLI::App& app, int& exit);
void add_report(CLI::App& app, int& exit);
void add_compare(CLI::App& app, int& exit);
void add_doctor(CLI::App& app, int& exit);
void add_selfbench(CLI::App& app, int& exit);

}  // namespace plumbline::cli
