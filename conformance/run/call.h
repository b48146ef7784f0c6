#pragma once
#include <map>
#include <optional>
#include <string>

#include "conformance/judge/guard.h"
#include "conformance/judge/judge.h"
#include "device/abi/implementation.h"
#include "reference/spec/problem.h"
#include "reference/spec/tensor.h"

namespace plumbline::run {

/// What a case hands to an implementation.
struct Prepared {
  Problem problem;
  Tensors inputs;
  std::map<std::string, TensorSpec> outputs;  ///< those with a caller's buffer
  std::map<std::string, TensorSpec> wanted;   ///< all of them
  bool random_like = false;                   ///< the data admit the calibrated lane
};

/// Inputs and output types of a case. `out` has no buffer where the problem says out=absent.
Prepared prepare(const Case& test_case);

/// What one call left behind.
struct Call {
  std::optional<Refusal> refusal;  ///< of validation; `run` was then not called
  Answer answer;
  Tensors results;  ///< every output that there is, from wherever it was put
  std::optional<judge::Judgement> accident;  ///< crash, device error
  judge::Judgement guards;                   ///< buffers and inputs afterwards
  std::optional<std::string> touched;        ///< an output that a refused call wrote to
};

/// Validates and runs once, in buffers that touch an unmapped page at `edge`.
Call call(const Prepared& prepared, Implementation& implementation, judge::Edge edge);

}  // namespace plumbline::run
