#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/model/run.h"

namespace plumbline::reports {

/// A cell of the grid after its cases.
struct CellOutcome {
  Cell cell;
  /// The worst verdict of its cases; without cases the planned state, and "untested" where that was
  /// "offered".
  std::string state;
  std::int64_t cases = 0;
  std::int64_t passed = 0;
  std::int64_t failed = 0;             ///< cases that make the run fail
  std::optional<double> worst_margin;  ///< none where no case was judged by numbers
  std::string reason;                  ///< of the worst case, or why there are none
  std::optional<std::size_t> worst;    ///< index of the record that gave the state
};

struct CellTable {
  std::vector<CellOutcome> cells;
  std::vector<std::size_t> of_record;  ///< index of the cell of each record of the run
};

/// Every cell of the plan in its order, then the cells of cases that the plan's grid lacks. A case
/// whose id cannot be read counts in a cell of domain "unreadable".
CellTable cell_table(const Run& run);

/// The order in which verdicts decide a cell: 0 is the worst.
int severity(Verdict verdict);

/// The verdict of that state, where the state is one.
std::optional<Verdict> verdict_of_state(const std::string& state);

/// The cell of a record's case.
Cell cell_of_record(const Record& record);

}  // namespace plumbline::reports
