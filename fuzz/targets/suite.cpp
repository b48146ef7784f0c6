#include "conformance/suites/suite.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "reference/spec/status.h"

using namespace plumbline;

/// Any text is refused with BadInput, or expands to cases whose ids parse back.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    for (const Case& one : suites::expand(text, "fuzz")) {
      if (parse_case(one.id()) != one) std::abort();
    }
  } catch (const BadInput&) {
    return 0;
  }
  return 0;
}
