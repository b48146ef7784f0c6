#include "device/moe/lightop/library.h"

#include <string>

namespace plumbline::device::lightop {
namespace {

std::optional<Refusal> refuse(std::string_view library, const char* symbol,
                              void (*Library::*entry)(const ExpertCall&)) {
  const std::string detail = "lightop_library = " + std::string(library);
  const auto found = find(library);
  if (!found) return Refusal{Status::kUnsupported, "the library lightop is present", detail};
  if ((*found).*entry) return std::nullopt;
  return Refusal{Status::kUnsupported, "the library lightop has " + std::string(symbol), detail};
}

}  // namespace

std::optional<Library> find(std::string_view library) {
  if (library == "present") return Library{moe_w8a8_int8, moe_w8a8_fp8};
  if (library == "missing_symbol") return Library{moe_w8a8_int8, nullptr};
  return std::nullopt;
}

std::optional<Refusal> refuse_int8_library(std::string_view library) {
  return refuse(library, "moe_w8a8_int8", &Library::moe_w8a8_int8);
}

std::optional<Refusal> refuse_fp8_library(std::string_view library) {
  return refuse(library, "moe_w8a8_fp8", &Library::moe_w8a8_fp8);
}

}  // namespace plumbline::device::lightop
