#include <utility>

#include "device/abi/served.h"

namespace plumbline::abi {
namespace {

/// A method's state with the arrays that its C struct points to.
struct StateStore {
  MethodState state;
  TensorViews views;
  std::vector<plumbline_tensor> tensors;
};

std::int32_t method_create(plumbline_library* library, const char* quant, const char* holder,
                           plumbline_method** method, plumbline_answer* answer) {
  *method = nullptr;
  return answered(answer, [&] {
    auto made = library->implementation->make_method(quant, holder);
    if (!made) {
      return refused({Status::kUnsupported, "a quant method and holder that are offered",
                      std::string(quant) + " held by " + holder});
    }
    *method = new plumbline_method{std::move(made)};
    return Answer{};
  });
}

std::int32_t method_create_weights(plumbline_method* method, const plumbline_problem* layer,
                                   plumbline_answer* answer) {
  return answered(answer, [&] {
    const Result<Problem> problem = problem_of(layer);
    return problem ? method->method->create_weights(*problem) : refused(problem.refusal());
  });
}

std::int32_t method_load(plumbline_method* method, const plumbline_tensor* tensor,
                         std::int64_t expert, plumbline_answer* answer) {
  return answered(answer, [&] {
    if (tensor == nullptr) return refused({Status::kMissing, "a tensor is given", "null"});
    const Result<TensorView> view = view_of(*tensor);
    if (!view) return refused(view.refusal());
    return method->method->load(tensor->name, expert, *view);
  });
}

std::int32_t method_create_runner(plumbline_method* method, const plumbline_problem* layer,
                                  plumbline_answer* answer) {
  return answered(answer, [&] {
    const Result<Problem> problem = problem_of(layer);
    return problem ? method->method->create_runner(*problem) : refused(problem.refusal());
  });
}

std::int32_t method_process_weights(plumbline_method* method, plumbline_answer* answer) {
  return answered(answer, [&] { return method->method->process_weights(); });
}

std::int32_t method_apply(plumbline_method* method, const plumbline_call* call,
                          plumbline_answer* answer) {
  return answered(answer, [&] {
    const Result<Problem> problem = problem_of(call->problem);
    if (!problem) return refused(problem.refusal());
    const Result<TensorViews> inputs = views_of(call->inputs, call->input_count);
    if (!inputs) return refused(inputs.refusal());
    const Result<TensorViews> outputs = views_of(call->outputs, call->output_count);
    if (!outputs) return refused(outputs.refusal());
    return method->method->apply(*problem, *inputs, *outputs);
  });
}

std::int32_t method_query(plumbline_method* method, plumbline_method_state* state) {
  *state = {};
  try {
    auto store = std::make_unique<StateStore>();
    store->state = method->method->query();
    store->views = views_of(store->state.layer);
    store->tensors = to_c(store->views);
    state->owns_runner = store->state.owns_runner ? 1 : 0;
    state->runner_backend = store->state.runner_backend.c_str();
    state->layer = store->tensors.data();
    state->layer_count = std::ssize(store->tensors);
    state->owner = store.release();
    return PLUMBLINE_OK;
  } catch (const std::exception&) {
    return PLUMBLINE_DEVICE;
  }
}

void method_state_release(plumbline_method_state* state) {
  delete static_cast<StateStore*>(state->owner);
  *state = {};
}

void method_destroy(plumbline_method* method) { delete method; }

}  // namespace

void add_methods(plumbline_interface& table) {
  table.method_create = method_create;
  table.method_create_weights = method_create_weights;
  table.method_load = method_load;
  table.method_create_runner = method_create_runner;
  table.method_process_weights = method_process_weights;
  table.method_apply = method_apply;
  table.method_query = method_query;
  table.method_state_release = method_state_release;
  table.method_destroy = method_destroy;
}

}  // namespace plumbline::abi
