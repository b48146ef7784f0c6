#pragma once
#include <vector>

#include "conformance/record/cell.h"
#include "device/abi/implementation.h"

namespace plumbline::cases {

/// The full grid: runner backend × quant scheme × ownership for moe.method (ownership "owner" also
/// for moe.experts), one cell a tagged type for moe.identity and a scoring function for moe.route,
/// and attention path × io type × out mode. State "offered" where the manifest claims a problem of
/// the cell, with a reason where that is the life cycle alone; "refused" where create_runner must
/// refuse; "excluded" where the ownership cannot come about; "not_offered" elsewhere, each with the
/// reason. The first table
/// of a report shows the offered ones of these cells. The key of a cell is what `cell_of` fills in.
std::vector<Cell> full_grid(const Manifest& manifest);

}  // namespace plumbline::cases
