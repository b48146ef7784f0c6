#include "conformance/record/journal.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "reference/spec/status.h"

using namespace plumbline;

/// Any line is refused with BadInput, or is a record that prints to a line which reads back to the
/// same line.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  Record record;
  try {
    record = record::from_line(line, "fuzz", 1);
  } catch (const BadInput&) {
    return 0;
  }
  const std::string printed = record::to_line(record);
  if (record::to_line(record::from_line(printed, "again", 1)) != printed) std::abort();
  return 0;
}
