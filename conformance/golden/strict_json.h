#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace plumbline::golden {

/// Parses JSON that comes from outside. Refused with BadInput(file, place, rule): text that is not
/// JSON, a key that stands twice in one object, more than 32 levels.
nlohmann::json strict_json(std::string_view text, std::string_view file, std::string_view place);

/// A value for a message: one line, at most 60 characters.
std::string shown(const nlohmann::json& value);

}  // namespace plumbline::golden
