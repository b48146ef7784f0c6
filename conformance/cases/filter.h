#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/spec/problem.h"

namespace plumbline::cases {

/// Whether `text` matches `glob`: `*` stands for any run of characters, everything else for itself.
bool glob_matches(std::string_view glob, std::string_view text);

/// A choice of cases, as `--filter` takes it. Written like the beginning of a case id, with `*`:
///
///   moe.*                                      every operation of a domain
///   attention.*,mask=causal                    and one axis
///   moe.experts/backend=triton,quant=fp8_*     as in an id; several axes must all hold
///   quant=bf16,t=33,data=sorted,seed=0         axes, dimensions, data and seed by name alone
///
/// The operation is a prefix; a value is matched whole, `*` included. Any case id is a filter that
/// matches that case.
class Filter {
 public:
  /// Matches everything.
  Filter() = default;
  /// Throws BadInput("filter", the piece, the rule) where the pattern cannot be read.
  static Filter parse(std::string_view pattern);

  bool matches(const Case& test_case) const;
  /// The pattern as it was written; empty: everything.
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::string op_ = "*";
  std::vector<std::pair<std::string, std::string>> wanted_;  ///< name → glob
};

}  // namespace plumbline::cases
