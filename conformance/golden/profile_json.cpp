#include "conformance/golden/profile_json.h"

#include <string>

#include "conformance/golden/strict_json.h"
#include "reference/spec/status.h"

namespace plumbline::golden {
namespace {

using nlohmann::json;

bool is_flag(std::string_view key) { return key == "activation_rounded_before_product"; }

/// Sets one field of the profile; the rule that the member breaks, or nothing.
std::string rule_broken(Profile& profile, std::string_view key, const json& member) {
  if (is_flag(key)) {
    if (!member.is_boolean()) return "must be true or false";
    return set_word(profile, key, member.dump());
  }
  if (key == "name" && !member.is_string()) return "must be a string";
  return set_word(profile, key, member.is_string() ? member.get<std::string>() : shown(member));
}

}  // namespace

Profile profile_from_json(const json& value, std::string_view file, std::string_view place) {
  if (!value.is_object()) throw BadInput(file, place, "a profile is a JSON object");
  Profile profile;
  profile.name = "own";
  for (const auto& [key, member] : value.items()) {
    const std::string rule = rule_broken(profile, key, member);
    if (!rule.empty()) throw BadInput(file, std::string(place) + "." + key, rule);
  }
  return profile;
}

json to_json(const Profile& profile) {
  json object;
  for (const auto& [key, word] : to_words(profile)) {
    object[key] = is_flag(key) ? json(word == "true") : json(word);
  }
  return object;
}

}  // namespace plumbline::golden
