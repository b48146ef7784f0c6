#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline {

/// What is to be computed, as plain printable data: an operation, its axes (words) and its
/// dimensions (counts). The typed descriptors of problems.h give the words their meaning.
struct Problem {
  std::string op;                                          ///< "moe.experts"
  std::vector<std::pair<std::string, std::string>> axes;   ///< "backend" → "triton", in order
  std::vector<std::pair<std::string, std::int64_t>> dims;  ///< "t" → 13, in order

  /// The value of an axis, or `fallback` where the problem does not name it.
  std::string_view axis(std::string_view name, std::string_view fallback = "") const;
  std::optional<std::int64_t> dim(std::string_view name) const;
  /// Sets or adds.
  void set_axis(std::string_view name, std::string_view value);
  void set_dim(std::string_view name, std::int64_t value);
  /// "moe.experts/backend=triton,quant=bf16/t=13,h=64"
  std::string text() const;
  friend bool operator==(const Problem&, const Problem&) = default;
};

/// A problem with an input distribution and a seed. Its id is its replay line.
struct Case {
  Problem problem;
  std::string data = "gaussian";  ///< a name of conformance/inputs
  std::uint64_t seed = 0;

  /// "moe.experts/backend=triton,quant=bf16/t=13,h=64/data=gaussian/seed=7"; parse_case gives the
  /// case back.
  std::string id() const;
  friend bool operator==(const Case&, const Case&) = default;
};

/// Reads an id: `domain.op/axis=value,…/dim=n,…/data=NAME/seed=N`. Words are made of
/// [a-z0-9_.:+-] (values also A–Z); numbers are decimal without leading zeros; a name stands once.
/// Throws BadInput naming the position and the rule that was broken.
Case parse_case(std::string_view id);

}  // namespace plumbline
