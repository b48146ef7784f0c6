#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "conformance/cases/filter.h"
#include "conformance/record/cell.h"
#include "device/abi/implementation.h"

namespace plumbline::run {

/// What is to be run, as the options say it.
struct Selection {
  std::string suite = "smoke";  ///< built-in name or file; ignored where there are case ids
  std::vector<std::string> case_ids;
  cases::Filter filter;
  std::uint64_t seed = 0;  ///< added to the seeds of the suite
  std::string options;     ///< how the implementation was chosen, as Record::options
};

/// The cases that the selection leaves, in the order of the suite. Throws BadInput.
std::vector<Case> select(const Selection& selection);

/// The plan of a run: header, ids and grid.
Plan make_plan(const Selection& selection, const std::vector<Case>& cases,
               const Manifest& manifest);

/// Threads to use where nobody says otherwise: one a core; one alone under a sanitizer, whose
/// reports would mix.
int default_jobs();

/// Runs one case: run_case here, or CasePool::run in a process of its own. Called by several
/// threads.
using RunOne = std::function<Record(const Case&)>;

/// Where and how a plan is run.
struct Execution {
  std::filesystem::path out;
  int jobs = 1;
  std::int64_t max_failures = 0;                       ///< stop after so many; 0: never
  std::function<void(const Record&)> after_each = {};  ///< called by one thread at a time
  std::string options = {};                            ///< of every record
};

/// Writes plan.json, then runs the cases in parallel and appends each record to journal.jsonl as it
/// comes. Returns how many cases ran.
std::int64_t execute(const Plan& plan, const std::vector<Case>& cases, const RunOne& run_one,
                     const Execution& execution);

}  // namespace plumbline::run
