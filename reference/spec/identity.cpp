#include "reference/spec/identity.h"

#include <algorithm>
#include <array>

namespace plumbline {
namespace {

constexpr auto kRunnerBackends = std::to_array<TaggedValue>({
    {"auto", "is_auto"},
    {"triton", "is_triton"},
    {"triton_kernel", "is_triton_kernels"},
    {"deep_gemm", "is_deep_gemm"},
    {"cutlass", "is_cutlass"},
    {"flashinfer_trtllm", "is_flashinfer_trtllm"},
    {"flashinfer_trtllm_routed", "is_flashinfer_trtllm_routed"},
    {"flashinfer_cutlass", "is_flashinfer_cutlass"},
    {"flashinfer_cutedsl", "is_flashinfer_cutedsl"},
    {"flashinfer_mxfp4", "is_flashinfer_mxfp4"},
    {"marlin", "is_marlin"},
    {"humming", "is_humming"},
    {"aiter", "is_aiter"},
    {"hpc_ops", "is_hpc_ops"},
    {"lightop", "is_lightop"},
    {"experimental_sgl_trtllm", "is_experimental_sgl_trtllm is_flashinfer_trtllm"},
    {"experimental_sgl_marlin", "is_experimental_sgl_marlin is_marlin"},
    {"mega_moe", "is_mega_moe"},
});
constexpr auto kRunnerPredicates = std::to_array<std::string_view>(
    {"is_auto", "is_triton", "is_triton_kernels", "is_deep_gemm", "is_cutlass",
     "is_flashinfer_trtllm", "is_flashinfer_trtllm_routed", "is_flashinfer_cutlass",
     "is_flashinfer_cutedsl", "is_flashinfer_mxfp4", "is_marlin", "is_humming", "is_aiter",
     "is_hpc_ops", "is_lightop", "is_experimental_sgl_trtllm", "is_experimental_sgl_marlin",
     "is_mega_moe"});

constexpr auto kA2aBackends = std::to_array<TaggedValue>({
    {"none", "is_none supports_aiter"},
    {"deepep", "is_deepep supports_aiter"},
    {"deepep_v2", "is_deepep_v2"},
    {"mooncake", "is_mooncake supports_aiter"},
    {"nixl", "is_nixl supports_aiter"},
    {"mori", "is_mori supports_aiter"},
    {"pplx", "is_pplx"},
    {"flashinfer", "is_flashinfer"},
    {"megamoe", "is_megamoe"},
    {"ascend_fuseep", "is_ascend_fuseep"},
    {"ascend_tp", "is_ascend_tp"},
    {"customized", "is_customized"},
});
constexpr auto kA2aPredicates = std::to_array<std::string_view>(
    {"is_none", "is_deepep", "is_deepep_v2", "is_mooncake", "is_nixl", "is_mori", "is_pplx",
     "is_flashinfer", "is_megamoe", "is_ascend_fuseep", "is_ascend_tp", "is_customized",
     "supports_aiter"});

// Dispatch outputs and combine inputs are two types with values of the same names.
constexpr auto kFormats = std::to_array<TaggedValue>({
    {"standard", "is_standard"},
    {"deepep_normal", "is_deepep_normal is_deepep"},
    {"deepep_ll", "is_deepep_ll is_deepep"},
    {"deepep_v2", "is_deepep_v2"},
    {"flashinfer", "is_flashinfer"},
    {"ascend_tp", "is_ascend_tp"},
});
constexpr auto kFormatPredicates =
    std::to_array<std::string_view>({"is_standard", "is_deepep_normal", "is_deepep_ll", "is_deepep",
                                     "is_deepep_v2", "is_flashinfer", "is_ascend_tp"});

constexpr auto kDispatchDtypes = std::to_array<TaggedValue>({
    {"bf16", "is_bf16"},
    {"fp8", "is_fp8"},
    {"int8", "is_int8"},
    {"nvfp4", "is_nvfp4"},
    {"mxfp8", "is_mxfp8"},
});
constexpr auto kDispatchDtypePredicates =
    std::to_array<std::string_view>({"is_bf16", "is_fp8", "is_int8", "is_nvfp4", "is_mxfp8"});

constexpr auto kDeepepModes = std::to_array<TaggedValue>({
    {"normal", "is_normal enable_normal"},
    {"low_latency", "is_low_latency enable_low_latency"},
    {"auto", "is_auto enable_normal enable_low_latency"},
});
constexpr auto kDeepepModePredicates = std::to_array<std::string_view>(
    {"is_normal", "is_low_latency", "is_auto", "enable_normal", "enable_low_latency"});

constexpr auto kScaleFormats = std::to_array<TaggedValue>({
    {"plain", ""},
    {"tma_aligned", "tma_aligned"},
    {"ue8m0", "ue8m0"},
    {"tma_aligned_ue8m0", "tma_aligned ue8m0"},
});
constexpr auto kScaleFormatPredicates = std::to_array<std::string_view>({"tma_aligned", "ue8m0"});

constexpr auto kTypes = std::to_array<TaggedType>({
    {"runner_backend", kRunnerBackends, kRunnerPredicates},
    {"a2a_backend", kA2aBackends, kA2aPredicates},
    {"dispatch_format", kFormats, kFormatPredicates},
    {"combine_format", kFormats, kFormatPredicates},
    {"dispatch_dtype", kDispatchDtypes, kDispatchDtypePredicates},
    {"deepep_mode", kDeepepModes, kDeepepModePredicates},
    {"deepep_v2_scale_format", kScaleFormats, kScaleFormatPredicates},
});

}  // namespace

bool TaggedValue::holds_of(std::string_view predicate) const {
  std::string_view rest = holds;
  while (!rest.empty()) {
    const std::size_t blank = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, blank) == predicate) return true;
    rest.remove_prefix(std::min(blank + 1, rest.size()));
  }
  return false;
}

const TaggedValue* TaggedType::value(std::string_view wanted) const {
  const auto it = std::find_if(values.begin(), values.end(),
                               [&](const TaggedValue& value) { return value.name == wanted; });
  return it == values.end() ? nullptr : &*it;
}

bool TaggedType::has_predicate(std::string_view predicate) const {
  return std::find(predicates.begin(), predicates.end(), predicate) != predicates.end();
}

std::span<const TaggedType> all_tagged_types() { return kTypes; }

const TaggedType* find_tagged_type(std::string_view name) {
  const auto it = std::find_if(kTypes.begin(), kTypes.end(),
                               [&](const TaggedType& type) { return type.name == name; });
  return it == kTypes.end() ? nullptr : &*it;
}

}  // namespace plumbline
