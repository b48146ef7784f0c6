#pragma once
#include <string>

#include "reports/model/run.h"

namespace plumbline::reports {

/// "1,190 pass, 2 fail, 8 refused": every verdict that occurs, what failed first.
std::string verdict_list(const VerdictCounts& counts);

/// "Passed", "Failed", "No verdict", "Nothing was tested": the outcome in a word or two.
std::string outcome_word(const Run& run);

/// The sentence that opens every report: outcome, counts, suite, implementation and where; a filter
/// and planned cases that were not run stand in it as well.
std::string summary_sentence(const Run& run);

}  // namespace plumbline::reports
