#include <fcntl.h>

#include <cstdio>
#include <exception>
#include <iostream>
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

/// A closed standard descriptor would be given to the next file opened: output of the program would
/// land in a journal.
void open_standard_descriptors() {
  constexpr int kLast = 2;
  int descriptor = ::open("/dev/null", O_RDWR);
  while (descriptor >= 0 && descriptor <= kLast) descriptor = ::open("/dev/null", O_RDWR);
}

/// Whoever redirects the output relies on all of it.
int finish(int exit) {
  std::cout.flush();
  const bool written = std::cout.good() && std::fflush(stdout) == 0;
  return written ? exit : complain("standard output: cannot be written");
}

/// What CLI11 says of a word that is no command does not name the word.
std::string what_of(const CLI::ParseError& error, int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (dynamic_cast<const CLI::RequiredError*>(&error) == nullptr || first.empty() ||
      first.front() == '-') {
    return first_line(error.what());
  }
  return "unknown command \"" + first + "\"";
}

/// Reads the command line and runs the command that it names.
int dispatch(int argc, char** argv) {
  CLI::App app("Does this implementation of MoE and attention compute what it must?", "plumbline");
  int exit = 0;
  app.require_subcommand(1);
  app.footer("plumbline COMMAND --help lists the options of a command");
  plumbline::cli::add_run(app, exit);
  plumbline::cli::add_serve_cases(app, exit);
  plumbline::cli::add_replay(app, exit);
  plumbline::cli::add_list(app, exit);
  plumbline::cli::add_prove(app, exit);
  plumbline::cli::add_check(app, exit);
  plumbline::cli::add_report(app, exit);
  plumbline::cli::add_compare(app, exit);
  plumbline::cli::add_doctor(app, exit);
  plumbline::cli::add_selfbench(app, exit);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return finish(app.exit(error));
    const bool known = !app.get_subcommands().empty();
    const std::string what = known ? first_line(error.what()) : what_of(error, argc, argv);
    return complain(what + " (plumbline --help lists what there is)");
  } catch (const plumbline::BadInput& error) {
    return complain(error.what());
  }
  return finish(exit);
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_descriptors();
  try {
    return dispatch(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "plumbline: internal error: %s\n", error.what());
    return 2;
  }
}
