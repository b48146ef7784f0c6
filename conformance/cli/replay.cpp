#include <iostream>
#include <memory>
#include <string>

#include "conformance/cases/legal.h"
#include "conformance/cli/commands.h"
#include "conformance/cli/options.h"
#include "conformance/cli/progress.h"
#include "conformance/judge/judge.h"
#include "conformance/record/journal.h"
#include "conformance/run/isolated.h"
#include "conformance/run/run.h"

namespace plumbline::cli {
namespace {

struct Options {
  Chosen chosen;
  std::string id;
  bool json = false;
};

std::string position_text(const WorstElement& element) {
  const auto names = judge::axis_names(element.output, element.position.size());
  std::string text = element.output;
  for (std::size_t n = 0; n < element.position.size(); ++n) {
    text += (n == 0 ? " " : ", ") + names[n] + " " + std::to_string(element.position[n]);
  }
  return text;
}

void show(const run::Outcome& outcome) {
  const Record& record = outcome.record;
  std::cout << record.case_id << "\n"
            << coloured(record.verdict, stdout) << ", lane " << record.lane << ": " << record.reason
            << "\n"
            << "path " << record.path << ", profile " << record.profile << ", wave " << record.wave
            << ", margin " << record.margin << ", " << record.compared << " of " << record.elements
            << " elements compared, " << record.seconds << " s\n";
  if (!outcome.judgements.empty()) std::cout << "\nchecks\n";
  for (const judge::Judgement& judged : outcome.judgements) {
    std::cout << "  " << name_of(judged.verdict) << "  " << judged.lane << ": " << judged.reason
              << "\n";
  }
  if (record.worst.empty()) return;
  std::cout << "\nclosest to their limit\n";
  for (const WorstElement& element : record.worst) {
    std::cout << "  " << position_text(element) << ": expected " << element.expected << ", got "
              << element.got << ", radius " << element.radius << ", " << element.ulp
              << " ulp, margin " << element.margin << "\n";
  }
}

/// What a child finds out is its record alone; here every judgement is kept.
run::Outcome examined(const Chosen& chosen, const Case& test_case) {
  const std::vector<std::string> command = child_command(chosen);
  if (command.empty()) return run::examine(test_case, *make_implementation(chosen));
  run::CasePool pool(command);
  return {pool.run(test_case, {}), {}};
}

int replay(const Options& options) {
  const Case test_case = cases::case_from_id(options.id);
  const run::Outcome outcome = examined(options.chosen, test_case);
  if (options.json) {
    std::cout << record::to_line(outcome.record) << "\n";
  } else {
    std::cout.precision(17);
    show(outcome);
  }
  return info_of(outcome.record.verdict).exit;
}

}  // namespace

void add_replay(CLI::App& app, int& exit) {
  CLI::App* command = app.add_subcommand("replay", "run one case again and show all about it");
  const auto options = std::make_shared<Options>();
  command->add_option("id", options->id, "case id, as every report prints it")->required();
  add_implementation_options(*command, options->chosen);
  command->add_flag("--in-process", options->chosen.in_process,
                    "run a library in this process, for debuggers; shows every check");
  command->add_flag("--json", options->json, "print the record as one JSON line");
  command->callback([options, &exit] { exit = replay(*options); });
}

}  // namespace plumbline::cli
