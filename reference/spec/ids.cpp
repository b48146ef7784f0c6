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

}  // namespace plumbline
