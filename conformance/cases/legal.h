#pragma once
#include <string_view>

#include "reference/spec/problem.h"
#include "reference/spec/status.h"

namespace plumbline::cases {

/// The problem with every axis and dimension of its operation written out in their fixed order, so
/// that two ways to write one problem have one id. Refuses what no typed descriptor takes: an
/// unknown operation, axis, dimension or word, dimensions that contradict each other, and problems
/// of more than 2^28 elements or 2^40 multiplications.
Result<Problem> canonical(const Problem& problem);

/// A case given by its id, canonical. Throws BadInput for an id that cannot be read, names an
/// unknown distribution, or breaks a rule of its operation.
Case case_from_id(std::string_view id);

}  // namespace plumbline::cases
