#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "reference/spec/status.h"

/// The tagged types of the MoE layer, told apart by the compiler, and their predicates. A predicate
/// takes its own type and no other: asked of another type it does not compile. A predicate whose
/// name is a value's holds of that value; those of two values say so here.
namespace plumbline::device::identity {

/// A backend of the MoE runner.
enum class RunnerBackend : std::uint8_t {
  kAuto,
  kTriton,
  kTritonKernel,
  kDeepGemm,
  kCutlass,
  kFlashinferTrtllm,
  kFlashinferTrtllmRouted,
  kFlashinferCutlass,
  kFlashinferCutedsl,
  kFlashinferMxfp4,
  kMarlin,
  kHumming,
  kAiter,
  kHpcOps,
  kLightop,
  kExperimentalSglTrtllm,
  kExperimentalSglMarlin,
  kMegaMoe
};

/// What carries tokens between ranks.
enum class A2aBackend : std::uint8_t {
  kNone,
  kDeepep,
  kDeepepV2,
  kMooncake,
  kNixl,
  kMori,
  kPplx,
  kFlashinfer,
  kMegamoe,
  kAscendFuseep,
  kAscendTp,
  kCustomized
};

/// How dispatched tokens come to the runner.
enum class DispatchFormat : std::uint8_t {
  kStandard,
  kDeepepNormal,
  kDeepepLl,
  kDeepepV2,
  kFlashinfer,
  kAscendTp
};

/// How results go back to the dispatcher.
enum class CombineFormat : std::uint8_t {
  kStandard,
  kDeepepNormal,
  kDeepepLl,
  kDeepepV2,
  kFlashinfer,
  kAscendTp
};

/// Element type of dispatched tokens.
enum class DispatchDtype : std::uint8_t { kBf16, kFp8, kInt8, kNvfp4, kMxfp8 };

/// Which of DeepEP's ways is open.
enum class DeepepMode : std::uint8_t { kNormal, kLowLatency, kAuto };

/// Format of the FP8 scales that DeepEP v2 sends.
struct DeepepV2ScaleFormat {
  bool tma_aligned = false;  ///< column-major, padded for TMA
  bool ue8m0 = false;        ///< powers of two, packed
};

// Predicates of RunnerBackend.
constexpr bool is_auto(RunnerBackend value) { return value == RunnerBackend::kAuto; }
constexpr bool is_triton(RunnerBackend value) { return value == RunnerBackend::kTriton; }
constexpr bool is_triton_kernels(RunnerBackend value) {
  return value == RunnerBackend::kTritonKernel;
}
constexpr bool is_deep_gemm(RunnerBackend value) { return value == RunnerBackend::kDeepGemm; }
constexpr bool is_cutlass(RunnerBackend value) { return value == RunnerBackend::kCutlass; }
constexpr bool is_flashinfer_trtllm_routed(RunnerBackend value) {
  return value == RunnerBackend::kFlashinferTrtllmRouted;
}
constexpr bool is_flashinfer_cutlass(RunnerBackend value) {
  return value == RunnerBackend::kFlashinferCutlass;
}
constexpr bool is_flashinfer_cutedsl(RunnerBackend value) {
  return value == RunnerBackend::kFlashinferCutedsl;
}
constexpr bool is_flashinfer_mxfp4(RunnerBackend value) {
  return value == RunnerBackend::kFlashinferMxfp4;
}
constexpr bool is_humming(RunnerBackend value) { return value == RunnerBackend::kHumming; }
constexpr bool is_aiter(RunnerBackend value) { return value == RunnerBackend::kAiter; }
constexpr bool is_hpc_ops(RunnerBackend value) { return value == RunnerBackend::kHpcOps; }
constexpr bool is_lightop(RunnerBackend value) { return value == RunnerBackend::kLightop; }
constexpr bool is_experimental_sgl_trtllm(RunnerBackend value) {
  return value == RunnerBackend::kExperimentalSglTrtllm;
}
constexpr bool is_experimental_sgl_marlin(RunnerBackend value) {
  return value == RunnerBackend::kExperimentalSglMarlin;
}
constexpr bool is_mega_moe(RunnerBackend value) { return value == RunnerBackend::kMegaMoe; }
constexpr bool is_flashinfer_trtllm(RunnerBackend value) {
  return value == RunnerBackend::kFlashinferTrtllm ||
         value == RunnerBackend::kExperimentalSglTrtllm;
}
constexpr bool is_marlin(RunnerBackend value) {
  return value == RunnerBackend::kMarlin || value == RunnerBackend::kExperimentalSglMarlin;
}

// Predicates of A2aBackend.
constexpr bool is_none(A2aBackend value) { return value == A2aBackend::kNone; }
constexpr bool is_deepep(A2aBackend value) { return value == A2aBackend::kDeepep; }
constexpr bool is_deepep_v2(A2aBackend value) { return value == A2aBackend::kDeepepV2; }
constexpr bool is_mooncake(A2aBackend value) { return value == A2aBackend::kMooncake; }
constexpr bool is_nixl(A2aBackend value) { return value == A2aBackend::kNixl; }
constexpr bool is_mori(A2aBackend value) { return value == A2aBackend::kMori; }
constexpr bool is_pplx(A2aBackend value) { return value == A2aBackend::kPplx; }
constexpr bool is_flashinfer(A2aBackend value) { return value == A2aBackend::kFlashinfer; }
constexpr bool is_megamoe(A2aBackend value) { return value == A2aBackend::kMegamoe; }
constexpr bool is_ascend_fuseep(A2aBackend value) { return value == A2aBackend::kAscendFuseep; }
constexpr bool is_ascend_tp(A2aBackend value) { return value == A2aBackend::kAscendTp; }
constexpr bool is_customized(A2aBackend value) { return value == A2aBackend::kCustomized; }
constexpr bool supports_aiter(A2aBackend value) {
  return value == A2aBackend::kNone || value == A2aBackend::kDeepep ||
         value == A2aBackend::kMooncake || value == A2aBackend::kNixl || value == A2aBackend::kMori;
}

// Predicates of DispatchFormat.
constexpr bool is_standard(DispatchFormat value) { return value == DispatchFormat::kStandard; }
constexpr bool is_deepep_normal(DispatchFormat value) {
  return value == DispatchFormat::kDeepepNormal;
}
constexpr bool is_deepep_ll(DispatchFormat value) { return value == DispatchFormat::kDeepepLl; }
constexpr bool is_deepep_v2(DispatchFormat value) { return value == DispatchFormat::kDeepepV2; }
constexpr bool is_flashinfer(DispatchFormat value) { return value == DispatchFormat::kFlashinfer; }
constexpr bool is_ascend_tp(DispatchFormat value) { return value == DispatchFormat::kAscendTp; }
constexpr bool is_deepep(DispatchFormat value) {
  return value == DispatchFormat::kDeepepNormal || value == DispatchFormat::kDeepepLl;
}

// Predicates of CombineFormat.
constexpr bool is_standard(CombineFormat value) { return value == CombineFormat::kStandard; }
constexpr bool is_deepep_normal(CombineFormat value) {
  return value == CombineFormat::kDeepepNormal;
}
constexpr bool is_deepep_ll(CombineFormat value) { return value == CombineFormat::kDeepepLl; }
constexpr bool is_deepep_v2(CombineFormat value) { return value == CombineFormat::kDeepepV2; }
constexpr bool is_flashinfer(CombineFormat value) { return value == CombineFormat::kFlashinfer; }
constexpr bool is_ascend_tp(CombineFormat value) { return value == CombineFormat::kAscendTp; }
constexpr bool is_deepep(CombineFormat value) {
  return value == CombineFormat::kDeepepNormal || value == CombineFormat::kDeepepLl;
}

// Predicates of DispatchDtype.
constexpr bool is_bf16(DispatchDtype value) { return value == DispatchDtype::kBf16; }
constexpr bool is_fp8(DispatchDtype value) { return value == DispatchDtype::kFp8; }
constexpr bool is_int8(DispatchDtype value) { return value == DispatchDtype::kInt8; }
constexpr bool is_nvfp4(DispatchDtype value) { return value == DispatchDtype::kNvfp4; }
constexpr bool is_mxfp8(DispatchDtype value) { return value == DispatchDtype::kMxfp8; }

// Predicates of DeepepMode.
constexpr bool is_normal(DeepepMode value) { return value == DeepepMode::kNormal; }
constexpr bool is_low_latency(DeepepMode value) { return value == DeepepMode::kLowLatency; }
constexpr bool is_auto(DeepepMode value) { return value == DeepepMode::kAuto; }
constexpr bool enable_normal(DeepepMode value) {
  return value == DeepepMode::kNormal || value == DeepepMode::kAuto;
}
constexpr bool enable_low_latency(DeepepMode value) {
  return value == DeepepMode::kLowLatency || value == DeepepMode::kAuto;
}

// Predicates of DeepepV2ScaleFormat.
constexpr bool tma_aligned(DeepepV2ScaleFormat value) { return value.tma_aligned; }
constexpr bool ue8m0(DeepepV2ScaleFormat value) { return value.ue8m0; }

/// A value of a type, by its word.
struct Value {
  std::string_view type;  ///< "runner_backend"
  std::string_view name;  ///< "lightop"
  int code = 0;           ///< its enumerator; of a scale format tma_aligned + 2 · ue8m0
};

/// A predicate of a type, by its word.
struct Predicate {
  std::string_view type;
  std::string_view name;  ///< "is_lightop"
  bool (*holds)(int code) = nullptr;
};

/// What can be asked by words, as plain data.
struct Table {
  std::vector<Value> values;
  std::vector<Predicate> predicates;

  /// Whether `predicate` holds of `value`. Refuses an unknown type or value, and a predicate that
  /// the type does not have (unsupported).
  Result<bool> ask(std::string_view type, std::string_view predicate, std::string_view value) const;
};

/// Every type, value and predicate of this file.
Table all();

}  // namespace plumbline::device::identity
