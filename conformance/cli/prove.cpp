#include "conformance/run/prove.h"

#include <cstdio>
#include <iostream>
#include <memory>
#include <string>

#include "conformance/cli/commands.h"
#include "conformance/cli/progress.h"
#include "conformance/run/plan.h"

namespace plumbline::cli {
namespace {

struct Options {
  run::ProofOptions proof;
  bool json = false;
};

std::string lanes_text(const run::FaultOutcome& outcome) {
  std::string text;
  for (const auto& [lane, kills] : outcome.kills) {
    text += (text.empty() ? "" : ", ") + lane + " " + std::to_string(kills);
  }
  return text.empty() ? "nothing noticed it" : text;
}

void show(const run::FaultOutcome& outcome) {
  std::cout << (outcome.killed() ? "killed    " : "SURVIVED  ") << outcome.fault.name
            << "  (expected " << outcome.fault.expected_lane << "; " << lanes_text(outcome) << "; "
            << outcome.cases << " cases)" << std::endl;
  if (outcome.killed()) return;
  std::cout << "    " << outcome.fault.mistake << "\n    cases: " << outcome.fault.pattern
            << std::endl;
}

void show_end(const run::Proof& proof) {
  std::int64_t killed = 0;
  for (const run::FaultOutcome& outcome : proof.faults) killed += outcome.killed() ? 1 : 0;
  for (const Record& alarm : proof.false_alarms) {
    std::cout << "FALSE ALARM  " << alarm.case_id << "\n    " << alarm.lane << ": " << alarm.reason
              << "\n    " << replay_line(alarm) << "\n";
  }
  std::cout << killed << " of " << proof.faults.size() << " planted faults killed, "
            << proof.false_alarms.size() << " false alarms in " << proof.clean_cases
            << " clean cases\n";
}

/// The confusion matrix of the packers, a pair a line.
void show_packers(const run::Proof& proof) {
  if (proof.packers.empty()) return;
  std::cout << "\nweights packed for one path, given to another of the same quant\n";
  for (const run::ConfusedPair& pair : proof.packers) {
    std::printf("%-9s %-38s -> %-38s %5.1f %% of %lld noticed%s\n", pair.holds() ? "" : "FAILED",
                pair.from.c_str(), pair.to.c_str(), 100 * pair.rate(),
                static_cast<long long>(pair.cases),
                pair.declared_equal ? " (the same layout)" : "");
  }
}

int prove(Options& options) {
  if (!options.json) options.proof.after_each = show;
  const run::Proof proof = run::prove(options.proof);
  if (options.json) {
    std::cout << run::to_json(proof) << "\n";
  } else {
    show_end(proof);
    show_packers(proof);
  }
  return proof.holds() ? 0 : 1;
}

}  // namespace

void add_prove(CLI::App& app, int& exit) {
  CLI::App* command = app.add_subcommand("prove", "which check kills which planted fault");
  const auto options = std::make_shared<Options>();
  options->proof.jobs = run::default_jobs();
  command->add_option("--clean", options->proof.clean, "cases with the correct kernels")
      ->check(CLI::Range(0, 1'000'000'000))
      ->capture_default_str();
  command->add_option("--fault", options->proof.only_fault, "only this one")
      ->check(CLI::Validator(
          [](const std::string& text) {
            return text.empty() ? std::string("names a fault of `list faults`") : "";
          },
          ""));
  command->add_option("--wave", options->proof.wave, "lanes a wave: 64 or 32")
      ->capture_default_str();
  command->add_option("--jobs", options->proof.jobs, "cases at a time")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options, &exit] { exit = prove(*options); });
}

}  // namespace plumbline::cli
