#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/abi/convert.h"
#include "device/abi/implementation.h"
#include "device/abi/plumbline.h"

/// One call into a library. For library.cpp and library_method.cpp alone.
namespace plumbline::abi {

/// An open library.
struct Access {
  plumbline_interface table{};
  plumbline_library* library = nullptr;
  std::int32_t memory = kDeviceCpu;  ///< DLPack device type in which it takes tensors
};

/// The answer that a call fills in; released at the end.
class GivenAnswer {
 public:
  explicit GivenAnswer(const Access& access) : access_(access) {}
  ~GivenAnswer() { access_.table.answer_release(&answer_); }
  GivenAnswer(const GivenAnswer&) = delete;
  GivenAnswer& operator=(const GivenAnswer&) = delete;

  plumbline_answer* get() const { return &answer_; }
  /// What the function returned, which must be the answer's status.
  void returned(std::int32_t status) { returned_ = status; }
  /// The answer as the suite's own type, with copies of what was returned.
  Answer read() const;
  /// Nothing where the status is ok.
  std::optional<Refusal> refusal() const;

 private:
  Tensors read_returned() const;
  /// Why the answer cannot be used; empty: it can.
  std::string flaw() const;

  const Access& access_;
  mutable plumbline_answer answer_{};
  std::int32_t returned_ = PLUMBLINE_OK;
};

/// A call with its tensors where the library takes them: in place for host memory, else in copies
/// on its device. Throws DeviceError-like std::runtime_error where the device has no memory.
class StagedCall {
 public:
  StagedCall(const Access& access, const CProblem& problem, const TensorViews& inputs,
             const TensorViews& outputs, const plumbline_record* record);
  ~StagedCall();
  StagedCall(const StagedCall&) = delete;
  StagedCall& operator=(const StagedCall&) = delete;

  const plumbline_call* get() const { return &call_; }
  /// Hands what the library shows to `observer`, which outlives the call.
  void observe(const Observer& observer);
  /// Waits for the work and copies outputs (and inputs, which may be declared in-place) back.
  void finish(Answer& answer);

 private:
  void stage(const TensorViews& views, std::vector<plumbline_tensor>& tensors);
  void take_workspace();
  void* allocate(std::int64_t bytes);

  /// Host bytes and their copy on the device.
  struct Copy {
    std::byte* host;
    void* device;
    std::int64_t bytes;
  };

  const Access& access_;
  std::vector<plumbline_tensor> inputs_;
  std::vector<plumbline_tensor> outputs_;
  std::vector<Copy> copies_;
  std::vector<void*> allocated_;
  plumbline_call call_{};
};

/// Null: the library does not offer it.
std::unique_ptr<Method> make_library_method(const Access& access, const std::string& quant,
                                            const std::string& holder);

}  // namespace plumbline::abi
