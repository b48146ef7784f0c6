#include <algorithm>
#include <array>

#include "device/moe/method.h"

namespace plumbline::device {
namespace {

struct Row {
  std::string_view quant;
  std::string_view backend;
  Construction construction;
};

// What is not listed has no branch in create_runner. Unlisted backends of the int8 and fp8 channel
// methods must not become triton in silence.
constexpr auto kRows = std::to_array<Row>({
    {"bf16", "triton", Construction::kRunner},
    {"fp8_block128", "triton", Construction::kRunner},
    {"fp8_block128", "deep_gemm", Construction::kRunner},
    {"fp8_block128", "aiter", Construction::kRunner},
    {"fp8_block128", "flashinfer_trtllm", Construction::kRunner},
    {"fp8_block128", "flashinfer_trtllm_routed", Construction::kRunner},
    {"fp8_block128", "experimental_sgl_trtllm", Construction::kRunner},
    {"fp8_block128", "hpc_ops", Construction::kRunner},
    {"fp8_block128", "cutlass", Construction::kNothing},
    {"fp8_block128", "marlin", Construction::kNothing},
    {"fp8_block128", "experimental_sgl_marlin", Construction::kNothing},
    {"fp8_block128", "flashinfer_cutlass", Construction::kNothing},
    {"fp8_block128", "flashinfer_cutedsl", Construction::kNothing},
    {"fp8_block128", "flashinfer_mxfp4", Construction::kNothing},
    {"fp8_block128", "triton_kernel", Construction::kNothing},
    {"fp8_block128", "humming", Construction::kNothing},
    {"w8a8_int8", "triton", Construction::kRunner},
    {"w8a8_int8", "lightop", Construction::kRunner},
    {"w8a8_fp8_channel", "triton", Construction::kRunner},
    {"w8a8_fp8_channel", "lightop", Construction::kRunner},
});

}  // namespace

Construction construction_of(std::string_view quant, std::string_view backend) {
  const auto row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) {
    return r.quant == quant && r.backend == backend;
  });
  return row == kRows.end() ? Construction::kRefused : row->construction;
}

std::string_view resolved_backend(std::string_view backend) {
  return backend == "auto" ? "triton" : backend;
}

bool is_trtllm_family(std::string_view backend) {
  return backend == "flashinfer_trtllm" || backend == "flashinfer_trtllm_routed" ||
         backend == "experimental_sgl_trtllm";
}

}  // namespace plumbline::device
