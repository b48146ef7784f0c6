#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "reference/spec/status.h"

/// Process-wide switches, as an engine's server arguments and environment set them. Any thread may
/// read and set them.
namespace plumbline::device::switches {

/// The value of a switch: runner_backend (a runner backend; "auto" at first), int4_on_hip (yes|no),
/// lightop_library (present|absent|missing_symbol: without the FP8 entry). Unknown: unsupported.
Result<std::string> get(std::string_view name);
/// Refuses a switch or a value that it does not know (unsupported); nothing changes then.
std::optional<Refusal> set(std::string_view name, std::string_view value);

/// get of a switch that there is.
std::string value_of(std::string_view name);

}  // namespace plumbline::device::switches
