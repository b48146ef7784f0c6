#include <cstdio>
#include <exception>
#include <string>

#include "conformance/cli/commands.h"
#include "reference/spec/status.h"

namespace {

int complain(const std::string& what) {
  std::fprintf(stderr, "plumbline: %s\n", what.c_str());
  return 2;
}

/// The first line only: CLI11 adds a hint to some messages.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Does this implementation of MoE and attention compute what it must?", "plumbline");
  int exit = 0;
  app.require_subcommand(1);
  plumbline::cli::add_run(app, exit);
  plumbline::cli::add_replay(app, exit);
  plumbline::cli::add_list(app, exit);
  plumbline::cli::add_prove(app, exit);
  plumbline::cli::add_check(app, exit);
  plumbline::cli::add_report(app, exit);
  plumbline::cli::add_doctor(app, exit);
  plumbline::cli::add_selfbench(app, exit);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    return complain(first_line(error.what()) + " (plumbline --help lists what there is)");
  } catch (const plumbline::BadInput& error) {
    return complain(error.what());
  } catch (const std::exception& error) {
    return complain(std::string("internal error: ") + error.what());
  }
  return exit;
}
