#pragma once
#include <string_view>

/// The text of each suite file of this folder; the build writes the bodies.
namespace plumbline::suites {

std::string_view smoke_text();
std::string_view ci_text();
std::string_view full_text();
std::string_view sanitizer_text();

}  // namespace plumbline::suites
