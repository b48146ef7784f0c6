#pragma once
#include <vector>

#include "conformance/judge/judge.h"
#include "device/abi/implementation.h"
#include "reference/spec/problem.h"

namespace plumbline::run {

/// Judges moe.method: the case's calls one by one against the contract's model. After each: status,
/// ownership flag ⇔ runner, names and bits on the layer, gemm1_* parameters (lane "lifecycle"), the
/// process-wide switches ("leak"); an `apply` that runs is judged by its path ("contract") and its
/// numbers. The first call that is not as it must be ends the case. One case at a time, because of
/// the switches, which are put back. `path`: receives the path that an apply reported.
std::vector<judge::Judgement> judge_method(const Case& test_case, Implementation& implementation,
                                           std::string& path);

}  // namespace plumbline::run
