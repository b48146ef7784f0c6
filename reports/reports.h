#pragma once
#include <filesystem>
#include <string>

/// What a reader gets from a run: tables, JUnit and one HTML page, all rebuilt from the journal and
/// the plan alone.
namespace plumbline::reports {

/// Reads plan.json and journal.jsonl of an out directory and writes coverage.csv, records.csv,
/// junit.xml, summary.json and report.html beside them, each in one step. Planned cases without a
/// record are `unanswered` in every file. Throws BadInput where the directory holds no run.
void write_all(const std::filesystem::path& out_dir);

/// The sentence that opens every report and ends a run: the outcome, what was planned and answered,
/// and that a filter or missing cases made it less than the suite. Throws as `write_all`.
std::string summary_sentence(const std::filesystem::path& out_dir);

/// The exit status of a run by its records: 0, 1, 2, or 3 for an empty plan. Throws as `write_all`.
int exit_status(const std::filesystem::path& out_dir);

}  // namespace plumbline::reports
