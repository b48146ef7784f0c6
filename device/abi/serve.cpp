#include "device/abi/serve.h"

#include <stdexcept>

#include "device/abi/convert.h"
#include "device/abi/served.h"

namespace plumbline::abi {
namespace {

/// The tensors and the problem of a call, read.
struct Call {
  Problem problem;
  TensorViews inputs;
  TensorViews outputs;
};

Result<Call> read(const plumbline_call* call) {
  if (call == nullptr) return Refusal{Status::kMissing, "a call is given", "a null pointer"};
  Result<Problem> problem = problem_of(call->problem);
  if (!problem) return problem.refusal();
  Result<TensorViews> inputs = views_of(call->inputs, call->input_count);
  if (!inputs) return inputs.refusal();
  Result<TensorViews> outputs = views_of(call->outputs, call->output_count);
  if (!outputs) return outputs.refusal();
  return Call{std::move(problem).value(), std::move(inputs).value(), std::move(outputs).value()};
}

/// A record that cannot be read is still refused by its tag first.
Answer run_record(Implementation& implementation, const Call& call,
                  const plumbline_record* record) {
  const Result<QuantRecord> read = record_of(record);
  if (read) return implementation.run_packed(call.problem, *read, call.inputs, call.outputs);
  QuantRecord tag;
  if (record->tag != nullptr) tag.tag = record->tag;
  Answer answer = implementation.run_packed(call.problem, tag, call.inputs, {});
  return answer.status == Status::kUnsupported ? answer : refused(read.refusal());
}

void close(plumbline_library* library) { delete library; }

const plumbline_manifest* manifest(plumbline_library* library) { return library->manifest->get(); }

std::int32_t validate(plumbline_library* library, const plumbline_call* call,
                      plumbline_answer* answer) {
  return answered(answer, [&] {
    const Result<Call> given = read(call);
    if (!given) return refused(given.refusal());
    const auto refusal = library->implementation->refuses(given->problem, given->inputs);
    return refusal ? refused(*refusal) : Answer{};
  });
}

std::int32_t run(plumbline_library* library, const plumbline_call* call, plumbline_answer* answer) {
  return answered(answer, [&] {
    const Result<Call> given = read(call);
    if (!given) return refused(given.refusal());
    if (call->record != nullptr) return run_record(*library->implementation, *given, call->record);
    if (call->observer == nullptr) {
      return library->implementation->run(given->problem, given->inputs, given->outputs);
    }
    const Observer observer = [call](std::string_view name, const TensorView& intermediate) {
      const std::string text(name);
      const plumbline_tensor tensor = to_c(text, intermediate);
      call->observer(call->observer_user, &tensor);
    };
    return library->implementation->run_observed(given->problem, given->inputs, given->outputs,
                                                 observer);
  });
}

std::int32_t plan_create(plumbline_library* library, const plumbline_call* call,
                         plumbline_plan** plan, plumbline_answer* answer) {
  *plan = nullptr;
  return answered(answer, [&] {
    Result<Problem> problem = problem_of(call == nullptr ? nullptr : call->problem);
    if (!problem) return refused(problem.refusal());
    *plan = new plumbline_plan{library, std::move(problem).value()};
    return Answer{};
  });
}

std::int32_t plan_run(plumbline_plan* plan, const plumbline_call* call, plumbline_answer* answer) {
  return answered(answer, [&] {
    const Result<Call> given = read(call);
    if (!given) return refused(given.refusal());
    if (given->problem != plan->problem) {
      return refused(
          {Status::kState, "plan_run is given the problem of its plan", given->problem.text()});
    }
    return plan->library->implementation->run(plan->problem, given->inputs, given->outputs);
  });
}

void plan_destroy(plumbline_plan* plan) { delete plan; }

std::int32_t pack(plumbline_library* library, const plumbline_call* call,
                  const plumbline_record** record, plumbline_answer* answer) {
  *record = nullptr;
  return answered(answer, [&] {
    const Result<Call> given = read(call);
    if (!given) return refused(given.refusal());
    Result<QuantRecord> packed = library->implementation->pack(given->problem, given->inputs);
    if (!packed) return refused(packed.refusal());
    *record = (new ServedRecord(std::move(packed).value()))->get();
    return Answer{};
  });
}

void record_release(const plumbline_record* record) { ServedRecord::release(record); }

std::int32_t switch_get(plumbline_library* library, const char* name, plumbline_answer* answer) {
  return answered(answer, [&] {
    const Result<std::string> value = library->implementation->get_switch(name);
    if (!value) return refused(value.refusal());
    Answer result;
    result.path = *value;
    return result;
  });
}

std::int32_t switch_set(plumbline_library* library, const char* name, const char* value,
                        plumbline_answer* answer) {
  return answered(answer, [&] {
    const auto refusal = library->implementation->set_switch(name, value);
    return refusal ? refused(*refusal) : Answer{};
  });
}

// NOLINTNEXTLINE(readability-function-size): the C ABI has no struct for a question
std::int32_t ask(plumbline_library* library, const char* type, const char* predicate,
                 const char* value, std::int32_t* truth, plumbline_answer* answer) {
  *truth = 0;
  return answered(answer, [&] {
    const Result<bool> holds = library->implementation->ask(type, predicate, value);
    if (!holds) return refused(holds.refusal());
    *truth = *holds ? 1 : 0;
    return Answer{};
  });
}

}  // namespace

std::int32_t open_with(Maker make, const plumbline_word* options, std::int64_t option_count,
                       plumbline_library** library, plumbline_answer* answer) {
  *library = nullptr;
  return answered(answer, [&] {
    Options read;
    for (std::int64_t n = 0; n < option_count; ++n) {
      read.emplace_back(options[n].name, options[n].value);
    }
    try {
      auto made = std::make_unique<plumbline_library>();
      made->implementation = make(read);
      made->manifest = std::make_unique<ServedManifest>(made->implementation->manifest());
      *library = made.release();
    } catch (const BadInput& error) {
      return refused({Status::kUnsupported, "options that this library knows", error.what()});
    } catch (const std::runtime_error& error) {
      return refused({Status::kDevice, "a device is there", error.what()});
    }
    return Answer{};
  });
}

plumbline_interface served_interface() {
  plumbline_interface table{};
  table.abi_version = PLUMBLINE_ABI_VERSION;
  table.size = sizeof table;
  table.close = close;
  table.manifest = manifest;
  table.validate = validate;
  table.run = run;
  table.answer_release = release_answer;
  table.plan_create = plan_create;
  table.plan_run = plan_run;
  table.plan_destroy = plan_destroy;
  table.pack = pack;
  table.record_release = record_release;
  table.switch_get = switch_get;
  table.switch_set = switch_set;
  table.ask = ask;
  add_methods(table);
  return table;
}

}  // namespace plumbline::abi
