#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/spec/problem.h"

namespace plumbline::suites {

/// Which part of a case a name stands in.
enum class Part : std::uint8_t { kOp, kAxis, kDim, kData, kSeed };

/// An entry of a pattern: names that take their values together, one of `choices` at a time.
struct Factor {
  Part part = Part::kAxis;
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> choices;  ///< each has a word a name
};

/// A line of a suite: every combination of the choices of its factors is a case.
struct Pattern {
  std::vector<Factor> factors;

  /// How many combinations there are; saturates far beyond what a suite may hold.
  std::uint64_t size() const;
  /// The case of one choice a factor. Throws std::invalid_argument with the rule where a word does
  /// not fit its part (a dimension or seed that is no number, a name twice).
  Case at(const std::vector<std::size_t>& choice) const;
};

/// Reads a pattern. Throws std::invalid_argument with the rule that was broken.
Pattern parse_pattern(std::string_view line);

/// All combinations, the last factor moving fastest.
std::vector<std::vector<std::size_t>> every_choice(const Pattern& pattern);

/// `count` combinations: in each run of n cases a factor of n choices takes every one of them once,
/// in an order drawn from the factor's place, the run and `salt`. May repeat a combination.
std::vector<std::vector<std::size_t>> sampled_choices(const Pattern& pattern, std::uint64_t count,
                                                      std::string_view salt);

}  // namespace plumbline::suites
