#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace plumbline::judge {

/// Most groups that a sketch keeps a maximum for, so that a journal line stays small.
inline constexpr std::int64_t kMostGroups = 256;

/// Six significant digits: "0.25", "1.5e-07", "nan".
std::string number_text(double value);
/// "[3, 17]"
std::string place_text(std::span<const std::int64_t> position);

}  // namespace plumbline::judge
