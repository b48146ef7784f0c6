#pragma once
#include <optional>
#include <string_view>

#include "device/moe/path.h"

/// The vendor's library as the backend sees it: functions that may not be there.
namespace plumbline::device::lightop {

/// Its entries; null: the library lacks the symbol.
struct Library {
  void (*moe_w8a8_int8)(const ExpertCall&);
  void (*moe_w8a8_fp8)(const ExpertCall&);
};

/// The library as the switch lightop_library says it is: present, absent (nothing is found) or
/// missing_symbol (it has no moe_w8a8_fp8).
std::optional<Library> find(std::string_view library);

/// The refusals of a backend that calls moe_w8a8_int8 or moe_w8a8_fp8; they name the library or the
/// symbol.
std::optional<Refusal> refuse_int8_library(std::string_view library);
std::optional<Refusal> refuse_fp8_library(std::string_view library);

/// The functions themselves.
void moe_w8a8_int8(const ExpertCall& call);
void moe_w8a8_fp8(const ExpertCall& call);

}  // namespace plumbline::device::lightop
