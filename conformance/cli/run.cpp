#include "conformance/run/run.h"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>

#include "conformance/cli/commands.h"
#include "conformance/cli/options.h"
#include "conformance/cli/progress.h"
#include "conformance/record/journal.h"
#include "conformance/run/isolated.h"
#include "conformance/run/plan.h"
#include "reference/spec/status.h"
#include "reports/reports.h"

namespace plumbline::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  Chosen chosen;
  Picked picked;
  std::vector<std::string> case_ids;
  std::string out;
  int jobs = run::default_jobs();
  std::int64_t max_failures = 0;
  bool dry_run = false;
  bool json = false;
};

/// out/DATE-TIME-SUITE, with a number behind it where two runs begin in one second.
fs::path fresh_directory(const std::string& suite) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char stamp[32];
  std::strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S-", &utc);
  const fs::path base = fs::path("out") / (stamp + fs::path(suite).stem().string());
  fs::path directory = base;
  for (int n = 2; fs::exists(directory); ++n) directory = base.string() + "-" + std::to_string(n);
  return directory;
}

/// Makes the directory and takes an earlier run's journal out of it.
void prepare_directory(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (!error) fs::remove(directory / record::kJournalName, error);
  if (error) throw BadInput("--out", directory.string(), error.message());
}

/// out/latest → the run; where the run went elsewhere, only if there is an out directory.
void link_latest(const fs::path& directory) {
  std::error_code ignored;
  if (!fs::is_directory("out", ignored)) return;
  const fs::path link = fs::path("out") / "latest";
  const fs::path target = fs::absolute(directory).lexically_normal();
  const fs::path out = fs::absolute("out").lexically_normal();
  const bool inside = target.parent_path() == out;
  fs::remove(link, ignored);
  fs::create_directory_symlink(inside ? target.filename() : target, link, ignored);
}

int empty_plan(const Options& options) {
  std::cerr << "plumbline: nothing to run: no case of "
            << (options.case_ids.empty() ? "suite " + options.picked.suite : "--case")
            << " matches the filter \"" << options.picked.filter << "\"\n";
  return kExitEmptyPlan;
}

int show_plan(const std::vector<Case>& cases) {
  std::string text;
  for (const Case& test_case : cases) text += test_case.id() + "\n";
  std::cout << text << cases.size() << " cases would run\n";
  return 0;
}

void show_end(const fs::path& out, const Options& options) {
  if (options.json) {
    std::cout << std::ifstream(out / "summary.json").rdbuf();
    return;
  }
  std::cout << reports::summary_sentence(out) << "\n"
            << "report: " << (out / "report.html").string() << "\n";
}

Record blank_record(const Manifest& manifest) {
  Record blank;
  blank.implementation = manifest.name;
  blank.target = manifest.target;
  blank.wave = manifest.wave;
  blank.device = manifest.device;
  return blank;
}

/// What runs the cases: the implementation in this process, or children with one each.
struct Runner {
  Manifest manifest;
  run::RunOne run_one;
};

Runner make_runner(const Chosen& chosen) {
  const std::vector<std::string> command = child_command(chosen);
  if (command.empty()) {
    const std::shared_ptr<Implementation> here = make_implementation(chosen);
    return {here->manifest(), [here](const Case& one) { return run::run_case(one, *here); }};
  }
  // Before anything is planned, one child shows that the library starts at all.
  const Manifest manifest = run::CaseProcess(command).manifest();
  const auto pool = std::make_shared<run::CasePool>(command);
  return {manifest, [pool, blank = blank_record(manifest)](const Case& one) {
            return pool->run(one, blank);
          }};
}

int run_cases(const Options& options, const run::Selection& selection,
              const std::vector<Case>& cases) {
  const Runner runner = make_runner(options.chosen);
  const fs::path out =
      options.out.empty() ? fresh_directory(options.picked.suite) : fs::path(options.out);
  prepare_directory(out);
  Progress progress(static_cast<std::int64_t>(cases.size()), options.json ? stderr : stdout);
  run::Execution execution;
  execution.out = out;
  execution.jobs = options.jobs;
  execution.max_failures = options.max_failures;
  execution.options = selection.options;
  execution.after_each = [&](const Record& record) { progress.add(record); };
  Plan plan = run::make_plan(selection, cases, runner.manifest);
  const auto start = std::chrono::steady_clock::now();
  run::execute(plan, cases, runner.run_one, execution);
  plan.run.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  record::write_plan(out / record::kPlanName, plan);
  progress.finish();
  reports::write_all(out);
  link_latest(out);
  show_end(out, options);
  return reports::exit_status(out);
}

int run_command(const Options& options) {
  run::Selection selection = selection_of(options.picked);
  selection.case_ids = options.case_ids;
  selection.options = text_of(options.chosen);
  const std::vector<Case> cases = run::select(selection);
  if (cases.empty()) return empty_plan(options);
  if (options.dry_run) return show_plan(cases);
  return run_cases(options, selection, cases);
}

}  // namespace

void add_run(CLI::App& app, int& exit) {
  CLI::App* command = app.add_subcommand("run", "run a suite, judge it and write the report");
  const auto options = std::make_shared<Options>();
  add_case_options(*command, options->picked);
  add_implementation_options(*command, options->chosen);
  command->add_option("--case", options->case_ids, "only this case; may be given again")
      ->take_all();
  command->add_option("--out", options->out, "directory of the results (out/DATE-TIME-SUITE)");
  command->add_option("--jobs", options->jobs, "cases at a time")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_flag("--in-process", options->chosen.in_process,
                    "run a library in this process, for debuggers");
  command->add_option("--maxfail", options->max_failures, "stop after so many failures; 0: never")
      ->check(CLI::Range(0, 1'000'000'000));
  command->add_flag("--dry-run", options->dry_run, "list the cases, run none");
  command->add_flag("--json", options->json, "print summary.json at the end");
  command->callback([options, &exit] { exit = run_command(*options); });
}

}  // namespace plumbline::cli
