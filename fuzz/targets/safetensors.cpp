#include "conformance/golden/safetensors.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "conformance/golden/case_file.h"
#include "conformance/golden/kinds.h"
#include "reference/spec/status.h"

using namespace plumbline;

namespace {

/// Any content is refused with BadInput, or is a case file of its kind.
void read_as_case(const golden::Safetensors& content) {
  const golden::CaseFile file{"fuzz", content.metadata, content.tensors};
  try {
    const std::string kind = file.text("kind").value_or("");
    if (kind == "moe") golden::moe_case(file);
    if (kind == "attention") golden::attention_case(file);
    if (kind == "gemm") golden::gemm_case(file);
  } catch (const BadInput&) {
    return;
  }
}

}  // namespace

/// Any bytes are refused with BadInput, or read to a content that writes and reads back the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  golden::Safetensors content;
  try {
    content = golden::parse_safetensors(bytes, "fuzz");
  } catch (const BadInput&) {
    return 0;
  }
  const auto again = golden::parse_safetensors(golden::to_safetensors(content), "again");
  if (again.metadata != content.metadata || again.tensors != content.tensors) std::abort();
  read_as_case(content);
  return 0;
}
