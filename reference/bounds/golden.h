#pragma once
#include <string_view>

/// How far results that others computed may lie from the reference. These limits come from how the
/// golden values were made, not from any device.
namespace plumbline::bounds::golden {

/// Experts: absolute limit for a case whose largest output is `largest` in magnitude:
/// 1e-12·largest, both sides being double (K ≤ 10^3 terms err by 10^3·2^−53 ≈ 1e-13). nemotron_h
/// 1e-6: its activation ran in float32 (u = 6e-8, a few operations).
double experts_limit(std::string_view family, double largest);

/// Routing weights: absolute limit 1e-6 × routed_scaling_factor: the routers score in float32.
double route_weight_limit(double routed_scaling_factor);

/// Where the last chosen and the first left out lie closer than this, relative to the score, either
/// id is right: float32 scores may order them either way.
double route_tie_gap(double score);

/// Attention out and lse: absolute limit for outputs up to `largest`: 1e-12·max(1, largest); with
/// softcap 1e-6: that softmax ran in float32.
double attention_limit(bool softcap, double largest);

}  // namespace plumbline::bounds::golden
