#pragma once
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "reference/spec/status.h"

/// What journal.cpp and plan.cpp share of JSON; no other folder includes this.
namespace plumbline::record {

using Json = nlohmann::ordered_json;

/// A number, or "nan", "inf", "-inf", which JSON has no numbers for.
inline Json from_double(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return value;
}

inline std::string text_of(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// Reads the fields of one object; every complaint is BadInput(file, place, rule).
class Fields {
 public:
  Fields(const Json& object, std::string_view file, std::string_view place)
      : object_(object), file_(file), place_(place) {
    if (!object.is_object()) fail("must be one JSON object");
  }

  [[noreturn]] void fail(std::string_view rule) const { throw BadInput(file_, place_, rule); }
  [[noreturn]] void fail(std::string_view name, std::string_view rule) const {
    fail("\"" + std::string(name) + "\" " + std::string(rule));
  }

  /// The value of a key, or none where the key is absent.
  const Json* find(std::string_view name) const {
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }
  const Json& need(std::string_view name) const {
    const Json* found = find(name);
    if (found == nullptr) fail(name, "is missing");
    return *found;
  }

  void text(std::string_view name, std::string& to, bool needed = false) const {
    const Json* found = needed ? &need(name) : find(name);
    if (found == nullptr) return;
    if (!found->is_string()) fail(name, "must be a string");
    to = found->get<std::string>();
  }

  void number(std::string_view name, double& to, bool needed = false) const {
    const Json* found = needed ? &need(name) : find(name);
    if (found != nullptr) to = as_double(*found, name);
  }

  template <class Integer>
  void integer(std::string_view name, Integer& to) const {
    const Json* found = find(name);
    if (found != nullptr) to = as_integer<Integer>(*found, name);
  }

  double as_double(const Json& value, std::string_view name) const {
    if (value.is_number()) return value.get<double>();
    if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (value == "inf") return std::numeric_limits<double>::infinity();
    if (value == "-inf") return -std::numeric_limits<double>::infinity();
    fail(name, "must be a number, \"nan\", \"inf\" or \"-inf\"");
  }

  template <class Integer>
  Integer as_integer(const Json& value, std::string_view name) const {
    if (value.is_number_unsigned()) {
      const auto wide = value.get<std::uint64_t>();
      if (wide <= static_cast<std::uint64_t>(std::numeric_limits<Integer>::max())) {
        return static_cast<Integer>(wide);
      }
    } else if (value.is_number_integer() && std::numeric_limits<Integer>::is_signed) {
      const auto wide = value.get<std::int64_t>();
      if (wide >= static_cast<std::int64_t>(std::numeric_limits<Integer>::min())) {
        return static_cast<Integer>(wide);
      }
    }
    fail(name, "must be a whole number in range");
  }

  /// The elements of an array, or none where the key is absent.
  const Json& array(std::string_view name) const {
    static const Json none = Json::array();
    const Json* found = find(name);
    if (found == nullptr) return none;
    if (!found->is_array()) fail(name, "must be an array");
    return *found;
  }

 private:
  const Json& object_;
  std::string_view file_;
  std::string_view place_;
};

}  // namespace plumbline::record
