#pragma once
#include <string_view>

/// The text of each table of this folder; the build writes the bodies.
namespace plumbline::contract {

std::string_view runner_ownership_text();

}  // namespace plumbline::contract
