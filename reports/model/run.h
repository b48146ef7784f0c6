#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "conformance/record/cell.h"
#include "conformance/record/record.h"

namespace plumbline::reports {

/// A run as every table and page sees it: one record a case.
struct Run {
  Plan plan;
  std::vector<Record> records;     ///< planned cases in the plan's order, then unplanned ones
  std::vector<std::string> notes;  ///< what a reader must know of the files: a torn last line
};

/// Joins plan and journal. A planned case without a line is `unanswered`. Where a case has several
/// lines, the last one that answers it counts; lines with different verdicts make it `flaky`.
Run join(Plan plan, std::vector<Record> journal);

/// Reads an out directory. A missing journal is an empty one: the run was killed before its first
/// case ended. Throws BadInput where there is no plan, or a file is broken.
Run load(const std::filesystem::path& out_dir);

/// Cases of each verdict, in the order of the verdict table.
using VerdictCounts = std::array<std::int64_t, static_cast<std::size_t>(Verdict::kUnanswered) + 1>;
VerdictCounts count_verdicts(const std::vector<Record>& records);

/// Exit status of the run: 3 for an empty plan, else the worst over its records.
int exit_of(const Run& run);

/// Whether the verdict rests on numbers, so that its margin means something.
bool has_margin(const Record& record);

/// Orders margins for "worst": NaN is worse than every number.
double margin_rank(double margin);

/// Wall time of the run where it is known, else the sum over its cases.
double seconds_of(const Run& run);

}  // namespace plumbline::reports
