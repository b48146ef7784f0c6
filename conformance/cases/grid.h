#pragma once
#include <vector>

#include "conformance/record/cell.h"
#include "device/abi/implementation.h"

namespace plumbline::cases {

/// The full grid: runner backend × quant scheme × ownership for moe.experts, one cell a scoring
/// function for moe.route, and attention path × io type × out mode. State "offered" where the
/// manifest claims a problem of the cell, "not_offered" with the reason elsewhere. The first table
/// of a report shows the offered ones of these cells. The key of a cell is what `cell_of` fills in.
std::vector<Cell> full_grid(const Manifest& manifest);

}  // namespace plumbline::cases
