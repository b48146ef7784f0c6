#pragma once
#include <cstdint>

#include "reference/bounds/expected.h"
#include "reference/bounds/route.h"
#include "reference/spec/problem.h"
#include "reference/spec/profile.h"
#include "reference/spec/tensor.h"

namespace plumbline::bounds {

/// What every output of `problem` may hold, for moe.experts ("out" [t, h]), attention.prefill and
/// attention.decode ("out" [rows, hq, d] and, with lse, "lse" f32 [hq, rows]). moe.route is judged
/// by evaluate_route. With kAlsoCalibrated the calibrated view is there, too: for lane S, on
/// random-like data only. Throws BadInput where inputs are missing or contradict the problem, and
/// where the operation is not one of these.
enum class Tracks : std::uint8_t { kRigorous, kAlsoCalibrated };
ExpectedTensors evaluate(const Problem& problem, const Tensors& inputs, const Profile& profile,
                         Tracks tracks = Tracks::kRigorous);

}  // namespace plumbline::bounds
