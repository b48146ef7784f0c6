#include "conformance/run/call.h"

#include <exception>

#include "conformance/inputs/inputs.h"

namespace plumbline::run {
namespace {

using judge::GuardedTensors;
using judge::Judgement;

judge::Judgement crash(const std::string& what) {
  return judge::verdict(Verdict::kCrash, "crash", what);
}

/// Validation, then the call itself; whatever it throws is an accident of this case.
void invoke(const Prepared& prepared, Implementation& implementation, const TensorViews& inputs,
            const TensorViews& outputs, Call& call) {
  try {
    call.refusal = implementation.refuses(prepared.problem, inputs);
    if (call.refusal) return;
    call.answer = implementation.run(prepared.problem, inputs, outputs);
  } catch (const std::exception& error) {
    call.accident = crash("the implementation threw: " + std::string(error.what()));
    return;
  }
  if (call.answer.status == Status::kDevice) {
    call.accident = crash("the device failed: " + call.answer.message);
  }
}

}  // namespace

Prepared prepare(const Case& test_case) {
  Prepared prepared;
  prepared.problem = test_case.problem;
  prepared.inputs = inputs::make(test_case);
  prepared.random_like = inputs::random_like(test_case.data);
  prepared.wanted = inputs::output_specs(test_case.problem, prepared.inputs);
  prepared.outputs = prepared.wanted;
  const bool attention = test_case.problem.op.starts_with("attention.");
  if (attention && test_case.problem.axis("out", "absent") == "absent") {
    prepared.outputs.erase("out");
  }
  return prepared;
}

Call call(const Prepared& prepared, Implementation& implementation, judge::Edge edge) {
  Call call;
  GuardedTensors inputs(prepared.inputs, edge);
  GuardedTensors outputs(prepared.outputs, edge);
  invoke(prepared, implementation, inputs.views(), outputs.views(), call);
  call.guards = judge::guards(inputs, prepared.inputs, outputs);
  call.results = outputs.copies();
  if (call.refusal || call.answer.status != Status::kOk) call.touched = outputs.written();
  for (auto& [name, tensor] : call.answer.returned) call.results.insert_or_assign(name, tensor);
  return call;
}

}  // namespace plumbline::run
