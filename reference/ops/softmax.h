#pragma once
#include <limits>
#include <span>
#include <vector>

namespace plumbline::ops {

/// A sink of −inf is none.
inline constexpr double kNoSink = -std::numeric_limits<double>::infinity();

/// log(exp(sink) + Σ_j exp(s[j])), natural, without overflow. −inf where nothing is there (no
/// logits or all −inf, and no sink). NaN or +∞ among the logits gives NaN.
double log_sum_exp(std::span<const double> logits, double sink = kNoSink);

/// p[j] = exp(s[j]) / (exp(sink) + Σ_j exp(s[j])), without overflow. Shapes: logits [n] → p [n].
/// All logits −inf and no sink gives zeros; NaN or +∞ among the logits makes every p NaN.
/// Source: Milakov and Gimelshein 2018 (safe softmax); the sink as in gpt-oss.
std::vector<double> softmax(std::span<const double> logits, double sink = kNoSink);

}  // namespace plumbline::ops
