#pragma once
#include <string>
#include <vector>

#include "conformance/judge/judge.h"
#include "conformance/record/record.h"
#include "device/abi/implementation.h"
#include "reference/spec/problem.h"

namespace plumbline::run {

/// Everything that was found out about a case: its record, and every judgement that went into it
/// (a case may fail in several lanes; the record shows the gravest).
struct Outcome {
  Record record;
  std::vector<judge::Judgement> judgements;
};

/// Runs one case twice and judges it: inputs into guarded buffers (unmapped page behind them; in
/// front of them in the repeat), validate, run, then status, path, guards, unchanged inputs,
/// numbers and equality of both runs. An exception of the implementation is `crash`, pinned on the
/// case.
Outcome examine(const Case& test_case, Implementation& implementation);

/// The record of `examine`.
Record run_case(const Case& test_case, Implementation& implementation);

}  // namespace plumbline::run
