#include "device/abi/library_call.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace plumbline::abi {
namespace {

/// A text as it may be shown: no longer than a page, without control characters.
std::string text_of(const char* text) {
  constexpr std::size_t kMost = 4096;
  std::string shown(text == nullptr ? "" : text, text == nullptr ? 0 : strnlen(text, kMost));
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
  }
  return shown;
}

/// The text of an answer that the caller cannot use at all.
Answer broken(const std::string& what) {
  Answer answer;
  answer.status = Status::kDevice;
  answer.message = "the library's answer cannot be read: " + what;
  return answer;
}

}  // namespace

Tensors GivenAnswer::read_returned() const {
  Tensors tensors;
  for (std::int64_t n = 0; n < answer_.returned_count; ++n) {
    plumbline_tensor given = answer_.returned[n];
    given.tensor.device.device_type = kDeviceCpu;
    const Result<TensorView> view = view_of(given);
    if (!view) throw std::runtime_error(view.refusal().text());
    if (view->data == nullptr && view->spec.bytes() > 0) {
      throw std::runtime_error(std::string(given.name) + " has no data");
    }
    if (access_.memory == kDeviceCpu) {
      tensors[given.name] = copy_of(*view);
      continue;
    }
    Tensor& tensor = tensors[given.name] = Tensor::zeros(view->spec);
    access_.table.copy_to_host(access_.library, tensor.data.data(), view->data,
                               std::ssize(tensor.data));
  }
  return tensors;
}

std::string GivenAnswer::flaw() const {
  constexpr std::int64_t kMost = 1024;
  if (answer_.status < PLUMBLINE_OK || answer_.status > PLUMBLINE_DEVICE) {
    return "status " + std::to_string(answer_.status);
  }
  if (answer_.status != returned_) {
    return "the function returned " + std::to_string(returned_) + ", its answer says " +
           std::to_string(answer_.status);
  }
  for (const std::int64_t count : {answer_.returned_count, answer_.in_place_count}) {
    if (count < 0 || count > kMost) return "an array of " + std::to_string(count);
  }
  const bool null = (answer_.returned_count > 0 && answer_.returned == nullptr) ||
                    (answer_.in_place_count > 0 && answer_.in_place == nullptr);
  return null ? "a null array" : "";
}

Answer GivenAnswer::read() const {
  if (const std::string what = flaw(); !what.empty()) return broken(what);
  Answer answer;
  answer.status = static_cast<Status>(answer_.status);
  answer.message = text_of(answer_.message);
  answer.path = text_of(answer_.path);
  for (std::int64_t n = 0; n < answer_.in_place_count; ++n) {
    answer.wrote_in_place.push_back(text_of(answer_.in_place[n]));
  }
  try {
    answer.returned = read_returned();
  } catch (const std::runtime_error& error) {
    return broken(error.what());
  }
  return answer;
}

std::optional<Refusal> GivenAnswer::refusal() const {
  if (const std::string what = flaw(); !what.empty()) {
    return Refusal{Status::kDevice, broken(what).message, ""};
  }
  if (answer_.status == PLUMBLINE_OK) return std::nullopt;
  // The message is "rule: detail", as Refusal::text makes it.
  const std::string message = text_of(answer_.message);
  const std::size_t colon = std::min(message.find(": "), message.size());
  return Refusal{status_of(answer_.status), message.substr(0, colon),
                 message.substr(std::min(colon + 2, message.size()))};
}

StagedCall::StagedCall(const Access& access, const CProblem& problem, const TensorViews& inputs,
                       const TensorViews& outputs, const plumbline_record* record)
    : access_(access) {
  stage(inputs, inputs_);
  stage(outputs, outputs_);
  call_.problem = problem.get();
  call_.inputs = inputs_.data();
  call_.input_count = std::ssize(inputs_);
  call_.outputs = outputs_.data();
  call_.output_count = std::ssize(outputs_);
  call_.record = record;
  take_workspace();
}

StagedCall::~StagedCall() {
  for (void* memory : allocated_) access_.table.deallocate(access_.library, memory);
}

void* StagedCall::allocate(std::int64_t bytes) {
  void* memory = nullptr;
  const std::int32_t status = access_.table.allocate(access_.library, bytes, &memory);
  if (status != PLUMBLINE_OK || memory == nullptr) {
    throw std::runtime_error("the library has no device memory: " + std::to_string(bytes) +
                             " bytes");
  }
  allocated_.push_back(memory);
  return memory;
}

void StagedCall::stage(const TensorViews& views, std::vector<plumbline_tensor>& tensors) {
  tensors = to_c(views, access_.memory);
  if (access_.memory == kDeviceCpu) return;
  for (plumbline_tensor& tensor : tensors) {
    const TensorView& view = views.find(tensor.name)->second;
    const std::int64_t bytes = view.spec.bytes();
    if (bytes == 0) continue;
    Copy copy{view.data, allocate(bytes), bytes};
    access_.table.copy_to_device(access_.library, copy.device, copy.host, bytes);
    tensor.tensor.data = copy.device;
    copies_.push_back(copy);
  }
}

void StagedCall::take_workspace() {
  const plumbline_interface& table = access_.table;
  if (table.workspace == nullptr || table.allocate == nullptr || outputs_.empty()) return;
  GivenAnswer answer(access_);
  std::int64_t bytes = 0;
  answer.returned(table.workspace(access_.library, &call_, &bytes, answer.get()));
  if (answer.refusal() || bytes <= 0) return;
  call_.workspace = allocate(bytes);
  call_.workspace_bytes = bytes;
}

void StagedCall::observe(const Observer& observer) {
  call_.observer_user = const_cast<Observer*>(&observer);
  call_.observer = [](void* user, const plumbline_tensor* shown) {
    if (shown == nullptr) return;
    const Result<TensorView> view = view_of(*shown);
    if (view) (*static_cast<const Observer*>(user))(shown->name, *view);
  };
}

void StagedCall::finish(Answer& answer) {
  if (answer.status == Status::kDevice) return;
  for (const Copy& copy : copies_) {
    const auto status =
        access_.table.copy_to_host(access_.library, copy.host, copy.device, copy.bytes);
    if (status == PLUMBLINE_OK) continue;
    answer.status = Status::kDevice;
    answer.message = "an output could not be copied from the device";
    return;
  }
}

}  // namespace plumbline::abi
