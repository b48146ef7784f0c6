#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/spec/problem.h"

namespace plumbline::suites {

/// A suite that the program carries: a text file of this folder.
struct BuiltIn {
  std::string_view name;     ///< "smoke"
  std::string_view meaning;  ///< one sentence for `list suites`
  std::string_view text;     ///< the file
};
std::span<const BuiltIn> all_suites();

/// Expands the text of a suite: one pattern a line, `{a,b}` alternatives, `0..2` ranges, `*` every
/// distribution, `p+q={a+x,b+y}` names whose values go together; the grammar stands at the top of
/// smoke.suite. Cases are canonical, in the order of the lines, each once. `seed` is added to the
/// seeds. Throws BadInput(file, "line N", rule).
std::vector<Case> expand(std::string_view text, std::string_view file, std::uint64_t seed = 0);

/// The cases of a suite by the name of a built-in one or the path of a file. Throws BadInput where
/// it is neither, or where the file breaks the grammar.
std::vector<Case> load(std::string_view name_or_file, std::uint64_t seed = 0);

}  // namespace plumbline::suites
