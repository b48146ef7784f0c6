#pragma once
#include <string_view>

namespace plumbline::reports {

/// The text of a file of reports/web (or "d3.min.js"), compiled into the program. Throws
/// ContractViolation where reports/web/CMakeLists.txt does not list it.
std::string_view asset(std::string_view name);

}  // namespace plumbline::reports
