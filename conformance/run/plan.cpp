#include "conformance/run/plan.h"

#include <sys/utsname.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "conformance/cases/grid.h"
#include "conformance/cases/legal.h"
#include "conformance/record/journal.h"
#include "conformance/run/parallel.h"
#include "conformance/run/run.h"
#include "conformance/suites/suite.h"

namespace plumbline::run {
namespace {

std::string compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

/// "Debian … on MODEL", as the system's own files name them.
std::string system_text() {
  utsname names{};
  std::string text = uname(&names) == 0
                         ? std::string(names.sysname) + " " + names.release + " " + names.machine
                         : "unknown system";
  std::ifstream processors("/proc/cpuinfo");
  for (std::string line; std::getline(processors, line);) {
    const std::size_t colon = line.find(": ");
    if (!line.starts_with("model name") || colon == std::string::npos) continue;
    text += ", " + line.substr(colon + 2);
    break;
  }
  return text + ", " + std::to_string(std::thread::hardware_concurrency()) + " cores";
}

std::string command_of(const Selection& selection) {
  std::string command = "plumbline run";
  for (const std::string& id : selection.case_ids) command += " --case '" + id + "'";
  if (selection.case_ids.empty()) command += " --suite " + selection.suite;
  if (!selection.filter.text().empty()) command += " --filter '" + selection.filter.text() + "'";
  if (selection.seed != 0) command += " --seed " + std::to_string(selection.seed);
  return command + selection.options;
}

bool is_failure(const Record& record) { return info_of(record.verdict).exit == 1; }

}  // namespace

std::vector<Case> select(const Selection& selection) {
  std::vector<Case> cases;
  if (selection.case_ids.empty()) {
    cases = suites::load(selection.suite, selection.seed);
  }
  std::set<std::string> seen;
  for (const std::string& id : selection.case_ids) {
    Case test_case = cases::case_from_id(id);
    if (seen.insert(test_case.id()).second) cases.push_back(std::move(test_case));
  }
  std::erase_if(cases, [&](const Case& test_case) { return !selection.filter.matches(test_case); });
  return cases;
}

Plan make_plan(const Selection& selection, const std::vector<Case>& cases,
               const Manifest& manifest) {
  Plan plan;
  plan.run.suite = selection.case_ids.empty() ? selection.suite : "case";
  plan.run.implementation = manifest.name;
  plan.run.version = manifest.version;
  plan.run.target = manifest.target;
  plan.run.device = manifest.device;
  plan.run.wave = manifest.wave;
  plan.run.seed = selection.seed;
  plan.run.filter = selection.filter.text();
  plan.run.planned = static_cast<std::int64_t>(cases.size());
  plan.run.compiler = compiler();
  plan.run.system = system_text();
  plan.run.command = command_of(selection);
  for (const Case& test_case : cases) plan.cases.push_back(test_case.id());
  plan.cells = cases::full_grid(manifest);
  return plan;
}

std::int64_t execute(const Plan& plan, const std::vector<Case>& cases, const RunOne& run_one,
                     const Execution& execution) {
  record::write_plan(execution.out / record::kPlanName, plan);
  record::JournalWriter journal(execution.out / record::kJournalName);
  std::mutex reporting;
  std::atomic<std::int64_t> failures = 0;
  std::atomic<std::int64_t> done = 0;
  parallel(cases.size(), execution.jobs, [&](std::size_t n) {
    if (execution.max_failures > 0 && failures >= execution.max_failures) return;
    Record record = run_one(cases[n]);
    record.options = execution.options;
    journal.append(record);
    ++done;
    if (is_failure(record)) ++failures;
    const std::lock_guard<std::mutex> lock(reporting);
    if (execution.after_each) execution.after_each(record);
  });
  return done;
}

}  // namespace plumbline::run
