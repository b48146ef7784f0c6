#include <array>

#include "device/moe/lightop/lightop.h"
#include "device/moe/path.h"
#include "device/moe/triton.h"
#include "device/moe/trtllm.h"

namespace plumbline::device {

std::span<const ExpertPath* const> all_expert_paths() {
  static constexpr std::array kPaths = {&kLightopInt8,     &kLightopInt8Kpack2, &kLightopFp8,
                                        &kTrtllmRoutedFp8, &kTritonBf16,        &kTritonFp8Block,
                                        &kTritonInt8,      &kTritonFp8Channel};
  return kPaths;
}

}  // namespace plumbline::device
