#pragma once
#include <vector>

#include "conformance/judge/judge.h"
#include "device/abi/implementation.h"
#include "reference/spec/problem.h"

namespace plumbline::run {

/// Judges moe.identity: every predicate of every tagged type, asked of the case's value. One of its
/// own type answers as the data say; one that its type does not have is refused with unsupported.
/// Lane "identity".
std::vector<judge::Judgement> judge_identity(const Case& test_case, Implementation& implementation);

}  // namespace plumbline::run
