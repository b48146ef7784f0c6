#include "conformance/golden/profile_json.h"

#include <array>
#include <string>
#include <utility>

#include "conformance/golden/strict_json.h"
#include "reference/spec/status.h"

namespace plumbline::golden {
namespace {

using nlohmann::json;

template <class Enum, std::size_t kCount>
using Words = std::array<std::pair<std::string_view, Enum>, kCount>;

constexpr Words<Accumulator, 5> kAccumulators = {{
    {"fp32", Accumulator::kFp32},
    {"fp32_truncating", Accumulator::kFp32Truncating},
    {"int32", Accumulator::kInt32},
    {"hopper_fp8_precise", Accumulator::kHopperFp8Precise},
    {"hopper_fp8_fast", Accumulator::kHopperFp8Fast},
}};
constexpr Words<ExpertRounding, 4> kRoundings = {{
    {"stages", ExpertRounding::kStages},
    {"every_operation", ExpertRounding::kEveryOperation},
    {"activation", ExpertRounding::kActivation},
    {"output", ExpertRounding::kOutput},
}};
constexpr Words<Combine, 2> kCombines = {{
    {"fp32", Combine::kFp32},
    {"io_in_expert_order", Combine::kIoInExpertOrder},
}};
constexpr Words<Probability, 2> kProbabilities = {{
    {"fp32", Probability::kFp32},
    {"io", Probability::kIo},
}};

/// Where a value stands, for messages.
struct At {
  std::string_view file;
  std::string place;
};

template <class Enum, std::size_t kCount>
Enum enum_of(const json& value, const Words<Enum, kCount>& words, const At& at) {
  std::string known;
  for (const auto& [word, meaning] : words) {
    if (value == word) return meaning;
    known += (known.empty() ? "" : ", ") + std::string(word);
  }
  throw BadInput(at.file, at.place, "unknown: " + shown(value) + "; known: " + known);
}

template <class Enum, std::size_t kCount>
std::string_view word_of(Enum meaning, const Words<Enum, kCount>& words) {
  for (const auto& [word, known] : words) {
    if (known == meaning) return word;
  }
  throw ContractViolation("a profile holds an enumerator that has no word");
}

void read_key(const std::string& key, const json& value, Profile& profile, const At& at) {
  if (key == "name") {
    if (!value.is_string()) throw BadInput(at.file, at.place, "must be a string");
    profile.name = value.get<std::string>();
  } else if (key == "accumulator") {
    profile.accumulator = enum_of(value, kAccumulators, at);
  } else if (key == "rounding") {
    profile.rounding = enum_of(value, kRoundings, at);
  } else if (key == "combine") {
    profile.combine = enum_of(value, kCombines, at);
  } else if (key == "probability") {
    profile.probability = enum_of(value, kProbabilities, at);
  } else if (key == "activation_rounded_before_product") {
    if (!value.is_boolean()) throw BadInput(at.file, at.place, "must be true or false");
    profile.activation_rounded_before_product = value.get<bool>();
  } else {
    throw BadInput(at.file, at.place, "unknown key of a profile");
  }
}

}  // namespace

Profile profile_from_json(const json& value, std::string_view file, std::string_view place) {
  if (!value.is_object()) throw BadInput(file, place, "a profile is a JSON object");
  Profile profile;
  profile.name = "own";
  for (const auto& [key, member] : value.items()) {
    read_key(key, member, profile, {file, std::string(place) + "." + key});
  }
  return profile;
}

json to_json(const Profile& profile) {
  return {{"name", profile.name},
          {"accumulator", word_of(profile.accumulator, kAccumulators)},
          {"rounding", word_of(profile.rounding, kRoundings)},
          {"combine", word_of(profile.combine, kCombines)},
          {"probability", word_of(profile.probability, kProbabilities)},
          {"activation_rounded_before_product", profile.activation_rounded_before_product}};
}

}  // namespace plumbline::golden
