#include <stdexcept>
#include <utility>

#include "device/abi/library_call.h"

namespace plumbline::abi {
namespace {

class LibraryMethod final : public Method {
 public:
  LibraryMethod(const Access& access, plumbline_method* method)
      : access_(access), method_(method) {}
  ~LibraryMethod() override { access_.table.method_destroy(method_); }
  LibraryMethod(const LibraryMethod&) = delete;
  LibraryMethod& operator=(const LibraryMethod&) = delete;

  Answer create_weights(const Problem& layer) override {
    const CProblem c(layer);
    GivenAnswer answer(access_);
    answer.returned(access_.table.method_create_weights(method_, c.get(), answer.get()));
    return answer.read();
  }

  Answer load(std::string_view name, std::int64_t expert, const TensorView& tensor) override {
    const std::string text(name);
    const plumbline_tensor c = to_c(text, tensor);
    GivenAnswer answer(access_);
    answer.returned(access_.table.method_load(method_, &c, expert, answer.get()));
    return answer.read();
  }

  Answer create_runner(const Problem& layer) override {
    const CProblem c(layer);
    GivenAnswer answer(access_);
    answer.returned(access_.table.method_create_runner(method_, c.get(), answer.get()));
    return answer.read();
  }

  Answer process_weights() override {
    GivenAnswer answer(access_);
    answer.returned(access_.table.method_process_weights(method_, answer.get()));
    return answer.read();
  }

  Answer apply(const Problem& layer, const TensorViews& inputs,
               const TensorViews& outputs) override {
    const CProblem c(layer);
    StagedCall call(access_, c, inputs, outputs, nullptr);
    GivenAnswer answer(access_);
    answer.returned(access_.table.method_apply(method_, call.get(), answer.get()));
    Answer result = answer.read();
    call.finish(result);
    return result;
  }

  MethodState query() const override {
    plumbline_method_state given{};
    if (access_.table.method_query(method_, &given) != PLUMBLINE_OK) fail("it failed");
    if (given.layer_count > kMostTensors) fail(std::to_string(given.layer_count) + " tensors");
    const Result<TensorViews> layer = views_of(given.layer, given.layer_count);
    if (!layer) fail(layer.refusal().text());
    MethodState state;
    state.owns_runner = given.owns_runner != 0;
    if (given.runner_backend != nullptr) state.runner_backend = given.runner_backend;
    for (const auto& [name, view] : *layer) {
      if (view.data == nullptr && view.spec.bytes() > 0) fail(name + " has no data");
      state.layer[name] = copy_of(view);
    }
    access_.table.method_state_release(&given);
    return state;
  }

 private:
  static constexpr std::int64_t kMostTensors = 4096;

  /// What cannot be read may hide what must not be there.
  [[noreturn]] static void fail(const std::string& what) {
    throw std::runtime_error("the answer to method_query cannot be read: " + what);
  }

  const Access& access_;
  plumbline_method* method_;
};

bool offers_methods(const plumbline_interface& table) {
  return table.method_create != nullptr && table.method_create_weights != nullptr &&
         table.method_load != nullptr && table.method_create_runner != nullptr &&
         table.method_process_weights != nullptr && table.method_apply != nullptr &&
         table.method_query != nullptr && table.method_state_release != nullptr &&
         table.method_destroy != nullptr;
}

}  // namespace

std::unique_ptr<Method> make_library_method(const Access& access, const std::string& quant,
                                            const std::string& holder) {
  if (!offers_methods(access.table)) return nullptr;
  plumbline_method* method = nullptr;
  GivenAnswer answer(access);
  answer.returned(access.table.method_create(access.library, quant.c_str(), holder.c_str(), &method,
                                             answer.get()));
  if (answer.refusal() || method == nullptr) return nullptr;
  return std::make_unique<LibraryMethod>(access, method);
}

}  // namespace plumbline::abi
