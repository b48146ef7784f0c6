#pragma once
#include <nlohmann/json.hpp>
#include <string_view>

#include "reference/spec/profile.h"

namespace plumbline::golden {

/// The profile object of casefile.md: name, accumulator, rounding, combine, probability,
/// activation_rounded_before_product, quant_scale, quant_quotient, quant_ties; what is absent keeps
/// the tightest promise. Throws BadInput(file, place, rule) for unknown keys, words and types.
Profile profile_from_json(const nlohmann::json& value, std::string_view file,
                          std::string_view place);

/// The object that profile_from_json reads back, every key written out but those of a plain
/// quantisation.
nlohmann::json to_json(const Profile& profile);

}  // namespace plumbline::golden
