#pragma once
#include <cstdint>

#include "reports/model/run.h"

namespace plumbline::reports {

/// How many combinations of axis values occur in cases that were answered.
struct TupleCoverage {
  std::int64_t covered = 0;
  std::int64_t possible = 0;
  double share() const {
    return possible == 0 ? 0.0 : static_cast<double>(covered) / static_cast<double>(possible);
  }
};

/// Tuples of `width` axes (the data distribution is one), operation by operation. Possible: every
/// combination of the values that the plan's cases show, also those that the operation's rules
/// exclude, so the share is a lower limit. Covered: those that occur in a case that was run.
TupleCoverage tuple_coverage(const Run& run, int width);

}  // namespace plumbline::reports
