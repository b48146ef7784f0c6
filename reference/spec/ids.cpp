#include "reference/spec/ids.h"

#include <array>

namespace plumbline {
namespace {

constexpr auto kRunnerBackends = std::to_array<RunnerBackend>({
    {"triton", ""},
    {"triton_kernel", ""},
    {"deep_gemm", ""},
    {"cutlass", ""},
    {"flashinfer_trtllm", ""},
    {"flashinfer_trtllm_routed", ""},
    {"flashinfer_cutlass", ""},
    {"flashinfer_cutedsl", ""},
    {"flashinfer_mxfp4", ""},
    {"marlin", ""},
    {"humming", ""},
    {"aiter", ""},
    {"hpc_ops", ""},
    {"lightop", ""},
    {"experimental_sgl_trtllm", "flashinfer_trtllm"},
    {"experimental_sgl_marlin", "marlin"},
    {"mega_moe", ""},
});

using G = Granularity;
using D = DType;

constexpr auto kQuantSchemes = std::to_array<QuantScheme>({
    {"bf16", D::kBf16, G::kNone, 0, D::kBf16, G::kNone, 0, D::kF32},
    {"fp16", D::kF16, G::kNone, 0, D::kF16, G::kNone, 0, D::kF32},
    {"w8a8_int8", D::kI8, G::kChannel, 0, D::kI8, G::kToken, 0, D::kF32},
    {"w8a8_fp8_tensor", D::kE4m3fn, G::kTensor, 0, D::kE4m3fn, G::kTensor, 0, D::kF32},
    {"w8a8_fp8_channel", D::kE4m3fn, G::kChannel, 0, D::kE4m3fn, G::kToken, 0, D::kF32},
    {"w8a8_fp8_token", D::kE4m3fn, G::kTensor, 0, D::kE4m3fn, G::kToken, 0, D::kF32},
    {"fp8_block128", D::kE4m3fn, G::kBlock, 128, D::kE4m3fn, G::kBlock, 128, D::kF32},
    {"fp8_block128_ue8m0", D::kE4m3fn, G::kBlock, 128, D::kE4m3fn, G::kBlock, 128, D::kE8m0fnu},
    {"fp8_block128_packed", D::kE4m3fn, G::kBlock, 128, D::kE4m3fn, G::kBlock, 128, D::kI32},
    {"e4m3fnuz", D::kE4m3fnuz, G::kBlock, 128, D::kE4m3fnuz, G::kBlock, 128, D::kF32},
    {"mxfp8", D::kE4m3fn, G::kBlock, 32, D::kE4m3fn, G::kBlock, 32, D::kE8m0fnu},
    {"mxfp4", D::kE2m1fn, G::kBlock, 32, D::kBf16, G::kNone, 0, D::kE8m0fnu},
    {"nvfp4", D::kE2m1fn, G::kBlock, 16, D::kE2m1fn, G::kBlock, 16, D::kE4m3fn},
    {"w4a16", D::kU8, G::kBlock, 128, D::kBf16, G::kNone, 0, D::kBf16},
    {"w4a8", D::kU8, G::kBlock, 128, D::kE4m3fn, G::kToken, 0, D::kBf16},
    {"int8_block128", D::kI8, G::kBlock, 128, D::kI8, G::kBlock, 128, D::kF32},
});

constexpr auto kScaleRules =
    std::to_array<std::string_view>({"none", "amax", "e8m0_floor", "e8m0_ceil", "nvfp4"});

constexpr auto kHolders = std::to_array<MethodHolder>({
    {"direct", false},
    {"scheme", false},
    {"wrapper_kt", false},
    {"mxfp4_trtllm", true},
    {"mxfp4_cutlass", true},
    {"mxfp4_marlin", true},
    {"mxfp4_humming", true},
});

constexpr std::string_view kInOrder = "weights.runner.load.process.apply";
constexpr auto kOwnerships = std::to_array<Ownership>({
    {"owner", "direct", kInOrder},
    {"owner_scheme", "scheme", kInOrder},
    {"owner_wrapper", "wrapper_kt", kInOrder},
    {"borrower_trtllm", "mxfp4_trtllm", kInOrder},
    {"borrower_cutlass", "mxfp4_cutlass", kInOrder},
    {"borrower_marlin", "mxfp4_marlin", kInOrder},
    {"borrower_humming", "mxfp4_humming", kInOrder},
    {"never_created", "direct", "weights.load.process.apply"},
    {"created_empty", "direct", kInOrder},
    {"recreated_owner", "direct",
     "weights.switch:marlin.runner.switch:{backend}.runner.load.process.apply"},
    {"recreated_empty", "direct",
     "weights.runner.load.process.switch:marlin.runner.switch:{backend}.process.apply"},
});

constexpr auto kOwnershipNames = [] {
  std::array<std::string_view, kOwnerships.size()> names{};
  for (std::size_t n = 0; n < names.size(); ++n) names[n] = kOwnerships[n].name;
  return names;
}();

}  // namespace

std::span<const RunnerBackend> all_runner_backends() { return kRunnerBackends; }
std::span<const QuantScheme> all_quant_schemes() { return kQuantSchemes; }
std::string_view name_of(ScaleRule rule) { return kScaleRules[static_cast<std::size_t>(rule)]; }
std::span<const MethodHolder> all_method_holders() { return kHolders; }
std::span<const Ownership> all_ownership_rows() { return kOwnerships; }
std::span<const std::string_view> all_ownerships() { return kOwnershipNames; }

const MethodHolder* find_method_holder(std::string_view name) {
  for (const MethodHolder& row : kHolders) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

const Ownership* find_ownership(std::string_view name) {
  for (const Ownership& row : kOwnerships) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::optional<QuantScheme> quant_from_name(std::string_view name) {
  for (const QuantScheme& row : kQuantSchemes) {
    if (row.name == name) return row;
  }
  return std::nullopt;
}

}  // namespace plumbline
