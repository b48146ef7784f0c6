#pragma once
#include <string>
#include <string_view>

#include "reference/spec/problem.h"

namespace plumbline {

/// Whether a predicate over the dimensions of a problem holds. A predicate compares two terms with
/// == != < <= > or >=; a term is numbers and dimensions joined by * / % from left to right:
/// "h % 32 == 0", "2 * i % 32 == 0", "k <= e". A dimension that the problem does not have is 0.
/// Throws BadInput for a text that is no predicate, a number beyond 64 bits, or a division by 0.
bool holds(std::string_view predicate, const Problem& problem);

/// The first dimension of a predicate that `problem` does not have; empty: it has all of them.
std::string unknown_dimension(std::string_view predicate, const Problem& problem);

}  // namespace plumbline
