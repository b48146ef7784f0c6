#pragma once
#include <string>

#include "reports/model/run.h"

namespace plumbline::reports {

/// summary.json: the run in figures, for scripts.
std::string summary_json(const Run& run);

}  // namespace plumbline::reports
