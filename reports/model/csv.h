#pragma once
#include <string>

#include "reports/model/cells.h"

namespace plumbline::reports {

/// coverage.csv: one row a cell of the full grid.
std::string coverage_csv(const Run& run);

/// records.csv: one row a case, with its worst element.
std::string records_csv(const Run& run);

}  // namespace plumbline::reports
