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

}  // namespace
}  // namespace plumbline

extern "C" {

PLUMBLINE_EXPORT const plumbline_interface* plumbline_get_interface() {
  static const plumbline_interface table = plumbline::abi::serve<plumbline::make>();
  return &table;
}

PLUMBLINE_EXPORT const plumbline_embedded_extras* plumbline_get_embedded_extras() {
  static const plumbline_embedded_extras extras{
      plumbline::faults().data(), static_cast<std::int64_t>(plumbline::faults().size()),
      plumbline::embedded_bench};
  return &extras;
}
}
