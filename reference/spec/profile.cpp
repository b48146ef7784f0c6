#include "reference/spec/profile.h"

#include <array>

#include "reference/spec/status.h"

namespace plumbline {
namespace {

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
constexpr Words<ScaleDivision, 2> kScaleDivisions = {{
    {"divide", ScaleDivision::kDivide},
    {"reciprocal", ScaleDivision::kReciprocal},
}};
constexpr Words<Quotient, 4> kQuotients = {{
    {"divide", Quotient::kDivide},
    {"reciprocal", Quotient::kReciprocal},
    {"approximate_reciprocal", Quotient::kApproximateReciprocal},
    {"approximate_amax", Quotient::kApproximateAmax},
}};
constexpr Words<IntegerTies, 2> kTies = {{
    {"even", IntegerTies::kEven},
    {"away", IntegerTies::kAway},
}};
constexpr Words<bool, 2> kFlags = {{{"false", false}, {"true", true}}};

template <class Enum, std::size_t kCount>
std::string set(Enum& field, std::string_view word, const Words<Enum, kCount>& words) {
  std::string known;
  for (const auto& [name, meaning] : words) {
    if (name == word) {
      field = meaning;
      return "";
    }
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  return "unknown: \"" + std::string(word) + "\"; known: " + known;
}

template <class Enum, std::size_t kCount>
std::string word_of(Enum meaning, const Words<Enum, kCount>& words) {
  for (const auto& [word, known] : words) {
    if (known == meaning) return std::string(word);
  }
  throw ContractViolation("a profile holds an enumerator that has no word");
}

void add_quant_words(const QuantArithmetic& quant, ProfileWords& words) {
  const QuantArithmetic plain;
  if (quant.scale != plain.scale) {
    words.emplace_back("quant_scale", word_of(quant.scale, kScaleDivisions));
  }
  if (quant.quotient != plain.quotient) {
    words.emplace_back("quant_quotient", word_of(quant.quotient, kQuotients));
  }
  if (quant.ties != plain.ties) words.emplace_back("quant_ties", word_of(quant.ties, kTies));
}

}  // namespace

ProfileWords to_words(const Profile& profile) {
  ProfileWords words = {{"name", profile.name},
                        {"accumulator", word_of(profile.accumulator, kAccumulators)},
                        {"rounding", word_of(profile.rounding, kRoundings)},
                        {"combine", word_of(profile.combine, kCombines)},
                        {"probability", word_of(profile.probability, kProbabilities)},
                        {"activation_rounded_before_product",
                         word_of(profile.activation_rounded_before_product, kFlags)}};
  add_quant_words(profile.quant, words);
  return words;
}

std::string set_word(Profile& profile, std::string_view key, std::string_view word) {
  if (key == "name") {
    profile.name = word;
    return "";
  }
  if (key == "accumulator") return set(profile.accumulator, word, kAccumulators);
  if (key == "rounding") return set(profile.rounding, word, kRoundings);
  if (key == "combine") return set(profile.combine, word, kCombines);
  if (key == "probability") return set(profile.probability, word, kProbabilities);
  if (key == "activation_rounded_before_product") {
    return set(profile.activation_rounded_before_product, word, kFlags);
  }
  if (key == "quant_scale") return set(profile.quant.scale, word, kScaleDivisions);
  if (key == "quant_quotient") return set(profile.quant.quotient, word, kQuotients);
  if (key == "quant_ties") return set(profile.quant.ties, word, kTies);
  return "unknown key of a profile";
}

}  // namespace plumbline
