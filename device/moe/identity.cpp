#include "device/moe/identity.h"

#include <algorithm>
#include <string>

namespace plumbline::device::identity {
namespace {

template <class Enum, bool (*predicate)(Enum)>
bool holds(int code) {
  return predicate(static_cast<Enum>(code));
}

template <bool (*predicate)(DeepepV2ScaleFormat)>
bool holds_of_scales(int code) {
  return predicate({(code & 1) != 0, (code & 2) != 0});
}

/// The values of an enumeration, in the order of its enumerators.
void add_values(Table& table, std::string_view type,
                std::initializer_list<std::string_view> names) {
  int code = 0;
  for (const std::string_view name : names) table.values.push_back({type, name, code++});
}

void add_runner_backend(Table& table) {
  constexpr std::string_view kType = "runner_backend";
  add_values(table, kType,
             {"auto", "triton", "triton_kernel", "deep_gemm", "cutlass", "flashinfer_trtllm",
              "flashinfer_trtllm_routed", "flashinfer_cutlass", "flashinfer_cutedsl",
              "flashinfer_mxfp4", "marlin", "humming", "aiter", "hpc_ops", "lightop",
              "experimental_sgl_trtllm", "experimental_sgl_marlin", "mega_moe"});
  table.predicates.insert(
      table.predicates.end(),
      {{kType, "is_auto", holds<RunnerBackend, is_auto>},
       {kType, "is_triton", holds<RunnerBackend, is_triton>},
       {kType, "is_triton_kernels", holds<RunnerBackend, is_triton_kernels>},
       {kType, "is_deep_gemm", holds<RunnerBackend, is_deep_gemm>},
       {kType, "is_cutlass", holds<RunnerBackend, is_cutlass>},
       {kType, "is_flashinfer_trtllm", holds<RunnerBackend, is_flashinfer_trtllm>},
       {kType, "is_flashinfer_trtllm_routed", holds<RunnerBackend, is_flashinfer_trtllm_routed>},
       {kType, "is_flashinfer_cutlass", holds<RunnerBackend, is_flashinfer_cutlass>},
       {kType, "is_flashinfer_cutedsl", holds<RunnerBackend, is_flashinfer_cutedsl>},
       {kType, "is_flashinfer_mxfp4", holds<RunnerBackend, is_flashinfer_mxfp4>},
       {kType, "is_marlin", holds<RunnerBackend, is_marlin>},
       {kType, "is_humming", holds<RunnerBackend, is_humming>},
       {kType, "is_aiter", holds<RunnerBackend, is_aiter>},
       {kType, "is_hpc_ops", holds<RunnerBackend, is_hpc_ops>},
       {kType, "is_lightop", holds<RunnerBackend, is_lightop>},
       {kType, "is_experimental_sgl_trtllm", holds<RunnerBackend, is_experimental_sgl_trtllm>},
       {kType, "is_experimental_sgl_marlin", holds<RunnerBackend, is_experimental_sgl_marlin>},
       {kType, "is_mega_moe", holds<RunnerBackend, is_mega_moe>}});
}

void add_a2a_backend(Table& table) {
  constexpr std::string_view kType = "a2a_backend";
  add_values(table, kType,
             {"none", "deepep", "deepep_v2", "mooncake", "nixl", "mori", "pplx", "flashinfer",
              "megamoe", "ascend_fuseep", "ascend_tp", "customized"});
  table.predicates.insert(table.predicates.end(),
                          {{kType, "is_none", holds<A2aBackend, is_none>},
                           {kType, "is_deepep", holds<A2aBackend, is_deepep>},
                           {kType, "is_deepep_v2", holds<A2aBackend, is_deepep_v2>},
                           {kType, "is_mooncake", holds<A2aBackend, is_mooncake>},
                           {kType, "is_nixl", holds<A2aBackend, is_nixl>},
                           {kType, "is_mori", holds<A2aBackend, is_mori>},
                           {kType, "is_pplx", holds<A2aBackend, is_pplx>},
                           {kType, "is_flashinfer", holds<A2aBackend, is_flashinfer>},
                           {kType, "is_megamoe", holds<A2aBackend, is_megamoe>},
                           {kType, "is_ascend_fuseep", holds<A2aBackend, is_ascend_fuseep>},
                           {kType, "is_ascend_tp", holds<A2aBackend, is_ascend_tp>},
                           {kType, "is_customized", holds<A2aBackend, is_customized>},
                           {kType, "supports_aiter", holds<A2aBackend, supports_aiter>}});
}

void add_dispatch_format(Table& table) {
  constexpr std::string_view kType = "dispatch_format";
  add_values(table, kType,
             {"standard", "deepep_normal", "deepep_ll", "deepep_v2", "flashinfer", "ascend_tp"});
  table.predicates.insert(table.predicates.end(),
                          {{kType, "is_standard", holds<DispatchFormat, is_standard>},
                           {kType, "is_deepep_normal", holds<DispatchFormat, is_deepep_normal>},
                           {kType, "is_deepep_ll", holds<DispatchFormat, is_deepep_ll>},
                           {kType, "is_deepep_v2", holds<DispatchFormat, is_deepep_v2>},
                           {kType, "is_flashinfer", holds<DispatchFormat, is_flashinfer>},
                           {kType, "is_ascend_tp", holds<DispatchFormat, is_ascend_tp>},
                           {kType, "is_deepep", holds<DispatchFormat, is_deepep>}});
}

void add_combine_format(Table& table) {
  constexpr std::string_view kType = "combine_format";
  add_values(table, kType,
             {"standard", "deepep_normal", "deepep_ll", "deepep_v2", "flashinfer", "ascend_tp"});
  table.predicates.insert(table.predicates.end(),
                          {{kType, "is_standard", holds<CombineFormat, is_standard>},
                           {kType, "is_deepep_normal", holds<CombineFormat, is_deepep_normal>},
                           {kType, "is_deepep_ll", holds<CombineFormat, is_deepep_ll>},
                           {kType, "is_deepep_v2", holds<CombineFormat, is_deepep_v2>},
                           {kType, "is_flashinfer", holds<CombineFormat, is_flashinfer>},
                           {kType, "is_ascend_tp", holds<CombineFormat, is_ascend_tp>},
                           {kType, "is_deepep", holds<CombineFormat, is_deepep>}});
}

void add_dispatch_dtype(Table& table) {
  constexpr std::string_view kType = "dispatch_dtype";
  add_values(table, kType, {"bf16", "fp8", "int8", "nvfp4", "mxfp8"});
  table.predicates.insert(table.predicates.end(),
                          {{kType, "is_bf16", holds<DispatchDtype, is_bf16>},
                           {kType, "is_fp8", holds<DispatchDtype, is_fp8>},
                           {kType, "is_int8", holds<DispatchDtype, is_int8>},
                           {kType, "is_nvfp4", holds<DispatchDtype, is_nvfp4>},
                           {kType, "is_mxfp8", holds<DispatchDtype, is_mxfp8>}});
}

void add_deepep_mode(Table& table) {
  constexpr std::string_view kType = "deepep_mode";
  add_values(table, kType, {"normal", "low_latency", "auto"});
  table.predicates.insert(table.predicates.end(),
                          {{kType, "is_normal", holds<DeepepMode, is_normal>},
                           {kType, "is_low_latency", holds<DeepepMode, is_low_latency>},
                           {kType, "is_auto", holds<DeepepMode, is_auto>},
                           {kType, "enable_normal", holds<DeepepMode, enable_normal>},
                           {kType, "enable_low_latency", holds<DeepepMode, enable_low_latency>}});
}

void add_scale_format(Table& table) {
  constexpr std::string_view kType = "deepep_v2_scale_format";
  add_values(table, kType, {"plain", "tma_aligned", "ue8m0", "tma_aligned_ue8m0"});
  table.predicates.push_back({kType, "tma_aligned", holds_of_scales<tma_aligned>});
  table.predicates.push_back({kType, "ue8m0", holds_of_scales<ue8m0>});
}

std::string quoted(std::string_view word) { return "\"" + std::string(word) + "\""; }

}  // namespace

Table all() {
  Table table;
  add_runner_backend(table);
  add_a2a_backend(table);
  add_dispatch_format(table);
  add_combine_format(table);
  add_dispatch_dtype(table);
  add_deepep_mode(table);
  add_scale_format(table);
  return table;
}

Result<bool> Table::ask(std::string_view type, std::string_view predicate,
                        std::string_view value) const {
  const auto known = std::find_if(values.begin(), values.end(), [&](const Value& row) {
    return row.type == type && row.name == value;
  });
  if (known == values.end()) {
    return Refusal{Status::kUnsupported, "a value of the type " + quoted(type), quoted(value)};
  }
  const auto row = std::find_if(predicates.begin(), predicates.end(), [&](const Predicate& p) {
    return p.type == type && p.name == predicate;
  });
  if (row == predicates.end()) {
    return Refusal{Status::kUnsupported, "a predicate of the type " + quoted(type),
                   quoted(predicate)};
  }
  return row->holds(known->code);
}

}  // namespace plumbline::device::identity
