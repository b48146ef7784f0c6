#include "device/abi/library.h"

#include <utility>

#include "device/abi/convert.h"
#include "device/abi/library_call.h"
#include "device/abi/library_file.h"

namespace plumbline {
namespace abi {
namespace {

class Library final : public Implementation {
 public:
  Library(const std::string& file, const LibraryOptions& options) {
    access_.table = load_interface(file);
    std::vector<plumbline_word> words;
    for (const auto& [name, value] : options) words.push_back({name.c_str(), value.c_str()});
    GivenAnswer answer(access_);
    answer.returned(
        access_.table.open(words.data(), std::ssize(words), &access_.library, answer.get()));
    if (access_.library == nullptr) {
      const Answer why = answer.read();
      throw BadInput(file, "open", std::string(name_of(why.status)) + ": " + why.message);
    }
    const plumbline_manifest* given = access_.table.manifest(access_.library);
    manifest_ = manifest_of(file, given);
    access_.memory = given->memory;
    if (access_.memory != kDeviceCpu && access_.table.allocate == nullptr) {
      throw BadInput(file, "allocate", "is required where tensors are not in host memory");
    }
  }
  ~Library() override { access_.table.close(access_.library); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const Manifest& manifest() const override { return manifest_; }

  std::optional<Refusal> refuses(const Problem& problem, const TensorViews& inputs) override {
    const CProblem c(problem);
    const StagedCall call(access_, c, inputs, {}, nullptr);
    GivenAnswer answer(access_);
    answer.returned(access_.table.validate(access_.library, call.get(), answer.get()));
    return answer.refusal();
  }

  Answer run(const Problem& problem, const TensorViews& inputs,
             const TensorViews& outputs) override {
    return run_call({problem, inputs, outputs}, nullptr, nullptr);
  }

  Answer run_observed(const Problem& problem, const TensorViews& inputs, const TensorViews& outputs,
                      const Observer& observer) override {
    return run_call({problem, inputs, outputs}, nullptr, &observer);
  }

  Result<QuantRecord> pack(const Problem& problem, const TensorViews& weights) override {
    if (access_.table.pack == nullptr) return Implementation::pack(problem, weights);
    const CProblem c(problem);
    const StagedCall call(access_, c, weights, {}, nullptr);
    GivenAnswer answer(access_);
    const plumbline_record* record = nullptr;
    answer.returned(access_.table.pack(access_.library, call.get(), &record, answer.get()));
    if (const auto refusal = answer.refusal()) return *refusal;
    Result<QuantRecord> packed = record_of(record);
    if (access_.table.record_release != nullptr) access_.table.record_release(record);
    return packed;
  }

  Answer run_packed(const Problem& problem, const QuantRecord& record, const TensorViews& inputs,
                    const TensorViews& outputs) override {
    const CRecord c(record);
    return run_call({problem, inputs, outputs}, c.get(), nullptr);
  }

  std::unique_ptr<Method> make_method(std::string_view quant, std::string_view holder) override {
    return make_library_method(access_, std::string(quant), std::string(holder));
  }

  Result<std::string> get_switch(std::string_view name) override {
    if (access_.table.switch_get == nullptr) return Implementation::get_switch(name);
    GivenAnswer answer(access_);
    answer.returned(
        access_.table.switch_get(access_.library, std::string(name).c_str(), answer.get()));
    if (const auto refusal = answer.refusal()) return *refusal;
    return answer.read().path;
  }

  std::optional<Refusal> set_switch(std::string_view name, std::string_view value) override {
    if (access_.table.switch_set == nullptr) return Implementation::set_switch(name, value);
    GivenAnswer answer(access_);
    answer.returned(access_.table.switch_set(access_.library, std::string(name).c_str(),
                                             std::string(value).c_str(), answer.get()));
    return answer.refusal();
  }

  Result<bool> ask(std::string_view type, std::string_view predicate,
                   std::string_view value) override {
    if (access_.table.ask == nullptr) return Implementation::ask(type, predicate, value);
    GivenAnswer answer(access_);
    std::int32_t truth = 0;
    answer.returned(access_.table.ask(access_.library, std::string(type).c_str(),
                                      std::string(predicate).c_str(), std::string(value).c_str(),
                                      &truth, answer.get()));
    if (const auto refusal = answer.refusal()) return *refusal;
    return truth != 0;
  }

 private:
  struct Given {
    const Problem& problem;
    const TensorViews& inputs;
    const TensorViews& outputs;
  };

  Answer run_call(const Given& given, const plumbline_record* record, const Observer* observer) {
    const CProblem c(given.problem);
    StagedCall call(access_, c, given.inputs, given.outputs, record);
    if (observer != nullptr) call.observe(*observer);
    GivenAnswer answer(access_);
    answer.returned(access_.table.run(access_.library, call.get(), answer.get()));
    Answer result = answer.read();
    call.finish(result);
    return result;
  }

  Access access_;
  Manifest manifest_;
};

}  // namespace
}  // namespace abi

std::unique_ptr<Implementation> open_library(const std::string& file,
                                             const LibraryOptions& options) {
  return std::make_unique<abi::Library>(file, options);
}

}  // namespace plumbline
