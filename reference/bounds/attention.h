#pragma once
#include <vector>

#include "reference/attention/attention.h"
#include "reference/bounds/rounding.h"
#include "reference/spec/profile.h"

namespace plumbline::bounds {

/// What is right for one head. Radii include the rounding to the output types (out: io, lse: fp32).
struct HeadExpected {
  Enclosure out;            ///< [sq, dv]
  std::vector<double> lse;  ///< [sq]
  std::vector<double> lse_radius;
};

/// One (sequence, head) under `profile`, with inputs of type `io`. Derivation in attention.cpp.
/// Rows that see no key are exact: out 0, lse −inf or the sink.
HeadExpected attention(const attention::HeadInputs& inputs, const Profile& profile, DType io);

}  // namespace plumbline::bounds
