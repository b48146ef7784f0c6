#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "conformance/inputs/generator.h"

namespace plumbline::inputs {

/// What a tensor is to the product it enters. Distributions whose point is a product (cancelling)
/// treat the two sides differently.
enum class Side : std::uint8_t { kActivation, kWeight };

/// Where an element stands: row r and column c of a matrix of `width` columns (the last dimension
/// of its tensor).
struct Position {
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t width = 1;
  Side side = Side::kActivation;

  std::uint64_t element() const { return static_cast<std::uint64_t>(row * width + column); }
};

/// A named distribution of values of about unit size (exact_integers: small integers). Elements are
/// pure in (stream, position) and made of integers alone.
struct Distribution {
  std::string_view name;
  std::string_view meaning;  ///< one sentence: what it is good for
  bool scaled;  ///< weights may be scaled by a power of two near K^−½; else left whole
  bool random;  ///< elements are independent draws: lane S applies
  Dyadic (*element)(const Stream&, const Position&);
};

/// Every distribution: the one list, in all.cpp.
std::span<const Distribution> distributions();
/// Null where there is none of that name.
const Distribution* find_distribution(std::string_view name);

}  // namespace plumbline::inputs
