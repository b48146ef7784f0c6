#include <hip/hip_runtime.h>

#include <charconv>

#include "device/abi/embedded_extras.h"
#include "device/abi/serve.h"

/// The embedded implementation as a library behind the C ABI.
namespace plumbline {
namespace {

int number_of(const std::string& name, const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw BadInput("option " + name, "\"" + text + "\"", "is a number");
  }
  return value;
}

std::unique_ptr<Implementation> make(const abi::Options& options) {
  EmbeddedOptions chosen;
  for (const auto& [name, value] : options) {
    if (name == "wave") {
      chosen.wave = number_of(name, value);
    } else if (name == "fault") {
      chosen.fault = value;
    } else {
      throw BadInput("option", "\"" + name + "\"", "is wave or fault");
    }
  }
  return make_embedded(chosen);
}

const std::vector<plumbline_planted_fault>& faults() {
  static const std::vector<plumbline_planted_fault> list = [] {
    std::vector<plumbline_planted_fault> made;
    for (const FaultInfo& fault : all_faults()) {
      made.push_back({fault.name.data(), fault.fault_class.data(), fault.mistake.data(),
                      fault.expected_lane.data(), fault.pattern.data(), fault.wave});
    }
    return made;
  }();
  return list;
}

std::int32_t status_of(hipError_t error) {
  if (error == hipSuccess) return PLUMBLINE_OK;
  return error == hipErrorOutOfMemory ? PLUMBLINE_CAPACITY : PLUMBLINE_DEVICE;
}

std::int32_t copy(void* to, const void* from, std::int64_t bytes, hipMemcpyKind kind) {
  if (bytes < 0) return PLUMBLINE_SHAPE;
  return status_of(hipMemcpy(to, from, static_cast<std::size_t>(bytes), kind));
}

/// The interface with memory of the current device. Work needs no streams: `run` is complete when
/// it returns.
plumbline_interface make_table() {
  plumbline_interface table = abi::serve<make>();
  table.allocate = [](plumbline_library*, std::int64_t bytes, void** memory) -> std::int32_t {
    *memory = nullptr;
    if (bytes < 0) return PLUMBLINE_SHAPE;
    return status_of(hipMalloc(memory, static_cast<std::size_t>(bytes)));
  };
  table.deallocate = [](plumbline_library*, void* memory) { static_cast<void>(hipFree(memory)); };
  table.copy_to_device = [](plumbline_library*, void* to, const void* from, std::int64_t bytes) {
    return copy(to, from, bytes, hipMemcpyHostToDevice);
  };
  table.copy_to_host = [](plumbline_library*, void* to, const void* from, std::int64_t bytes) {
    return copy(to, from, bytes, hipMemcpyDeviceToHost);
  };
  return table;
}

}  // namespace
}  // namespace plumbline

extern "C" {

PLUMBLINE_EXPORT const plumbline_interface* plumbline_get_interface() {
  static const plumbline_interface table = plumbline::make_table();
  return &table;
}

PLUMBLINE_EXPORT const plumbline_embedded_extras* plumbline_get_embedded_extras() {
  static const plumbline_embedded_extras extras{
      plumbline::faults().data(), static_cast<std::int64_t>(plumbline::faults().size()),
      plumbline::embedded_bench};
  return &extras;
}
}
