#pragma once
#include <cstdint>
#include <memory>
#include <string_view>

#include "device/abi/implementation.h"
#include "device/moe/identity.h"
#include "device/moe/method_rules.h"

namespace plumbline::device {

struct Fault;

/// What a method shares with the implementation that made it, and must not outlive.
struct MethodSurroundings {
  int device = 0;      ///< index of the device
  int wave = 64;       ///< its lanes a wave
  const Fault* fault;  ///< null: no fault
  const identity::Table* identities;
};

/// Whether create_runner of a quant method constructs a runner for a backend.
enum class Construction : std::uint8_t {
  kRunner,   ///< it does: the method owns it
  kNothing,  ///< the branch constructs none and does not complain
  kRefused,  ///< there is no such branch
};
/// `backend`: a value of the switch, "auto" resolved.
Construction construction_of(std::string_view quant, std::string_view backend);
/// The backend that the switch value "auto" stands for here; any other value itself.
std::string_view resolved_backend(std::string_view backend);
/// Whether weights are post-processed for TRT-LLM: plain, routed or the alias.
bool is_trtllm_family(std::string_view backend);

/// A quant method (bf16, fp8_block128, w8a8_int8, w8a8_fp8_channel) held by `holder`; null where
/// it is not offered: only fp8_block128 is borrowed.
std::unique_ptr<Method> make_quant_method(std::string_view quant, std::string_view holder,
                                          const MethodSurroundings& surroundings);

}  // namespace plumbline::device
