#pragma once
#include <string>

#include "reports/model/run.h"

namespace plumbline::reports {

/// junit.xml: one test suite an operation, one test case a case; states by the verdict table, so
/// excluded cases are not listed and suspicious ones pass with a property.
std::string junit_xml(const Run& run);

}  // namespace plumbline::reports
