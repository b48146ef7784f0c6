#pragma once
#include "device/moe/path.h"

/// Backend `flashinfer_trtllm_routed` for fp8_block128: up rows before gate rows, activation fused
/// into the first product with alpha, beta and limit an expert.
///
/// Record, tag `flashinfer_trtllm_fp8`: w13 e4m3fn [e, 2i, h] with rows (up 0 … i − 1, gate
/// 0 … i − 1), w13_scale f32 [e, 2i / 128, ⌈h / 128⌉] in the same order, w2 and w2_scale as they
/// are. Where the activation is swiglu also gemm1_alpha, gemm1_beta and, unless there is no limit,
/// gemm1_clamp_limit, f32 [e]; what the activation does not give is absent, never 0.
namespace plumbline::device {

extern const ExpertPath kTrtllmRoutedFp8;

}  // namespace plumbline::device
