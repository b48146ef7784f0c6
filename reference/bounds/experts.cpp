#include "reference/bounds/experts.h"

#include <cmath>

#include "reference/bounds/enclosure.h"
#include "reference/bounds/exact.h"
#include "reference/bounds/expert_activation.h"
#include "reference/bounds/group_quant.h"
#include "reference/spec/ids.h"
#include "reference/spec/status.h"

namespace plumbline::bounds {
namespace {

/// The layer while its tokens are added up.
struct Sums {
  Enclosure out;     ///< [t, h]
  Matrix magnitude;  ///< [t, h] Σ(|v| + r), what the fp32 sum errs relative to
  Matrix grain;      ///< [t, h] the power of two that divides every term (exact.h)
};

bool rounds_each(const ExpertArithmetic& arithmetic) {
  return arithmetic.profile.rounding == ExpertRounding::kEveryOperation;
}

/// Whether what leaves GEMM1 and what the router weight made round on their way.
bool rounds_between(const ExpertArithmetic& arithmetic) {
  return arithmetic.profile.rounding == ExpertRounding::kStages || rounds_each(arithmetic);
}

QuantScheme scheme_of(const ExpertArithmetic& arithmetic) {
  const auto scheme = quant_from_name(arithmetic.quant);
  if (!scheme) throw BadInput("", "quant", "no such scheme: " + arithmetic.quant);
  return *scheme;
}

/// Whether the formulas below were derived for the scheme: nothing quantised, or both sides in the
/// same e4m3fn or int8 codes under fp32 scales, one a token and one a channel or tensor; or e4m3fn
/// by blocks and groups. Blocks of int8 would need their groups' fp32 sums, four-bit weights the
/// type that they are dequantised to.
bool has_bounds(const QuantScheme& scheme) {
  const bool plain = scheme.weight_scale == Granularity::kNone;
  if (plain) return scheme.activation_scale == Granularity::kNone;
  const bool fp32_scales = scheme.weight_rule == ScaleRule::kAmax &&
                           scheme.activation_rule == ScaleRule::kAmax &&
                           scheme.scale == DType::kF32;
  const bool fp8 = scheme.weight == DType::kE4m3fn && scheme.activation == DType::kE4m3fn;
  const bool int8 = scheme.weight == DType::kI8 && scheme.activation == DType::kI8;
  if (!fp32_scales || !(fp8 || int8)) return false;
  if (scheme.weight_scale == Granularity::kBlock) {
    return fp8 && scheme.activation_scale == Granularity::kBlock;
  }
  return scheme.activation_scale == Granularity::kToken;
}

void require_bounds(const ExpertArithmetic& arithmetic) {
  if (has_bounds(scheme_of(arithmetic))) return;
  throw BadInput("", "quant", "no bounds yet for " + arithmetic.quant);
}

/// Error of a product of k terms relative to Σ|a·w| over the dequantised operands.
/// Groups along k: each partial sum is scaled on its own (gamma32). One scale a token and one a
/// channel: the sum is scaled at its end, which is one group. int8: the sum itself is exact in
/// int32 (127²·k < 2³¹ for k < 133,152); left are its conversion to fp32, one rounding beyond 2²⁴,
/// and the two scales: (P·s_a)·s_w and P·(s_a·s_w) round twice each. Three roundings,
/// (1 + u)³ − 1 ≤ 3u/(1 − 3u).
double gamma_of(const ExpertArithmetic& arithmetic, std::int64_t k) {
  const QuantScheme scheme = scheme_of(arithmetic);
  const bool truncating = arithmetic.profile.accumulator == Accumulator::kFp32Truncating;
  if (arithmetic.profile.accumulator == Accumulator::kInt32 && scheme.activation == DType::kI8) {
    return 3 * kUnit32 / (1 - 3 * kUnit32);
  }
  const std::int64_t group = scheme.activation_group;
  if (group > 0) return gamma32(k, (k + group - 1) / group, truncating);
  return gamma32(k, scheme.activation_scale == Granularity::kToken ? 1 : 0, truncating);
}

/// a·wᵀ + bias with the roundings of the profile.
Enclosure linear(const Enclosure& a, const Matrix& w, const Matrix& bias, Eigen::Index expert,
                 const ExpertArithmetic& arithmetic) {
  const std::int64_t k = w.cols();
  Enclosure y = multiply_transposed(a, w, gamma_of(arithmetic, k) + reference_gamma(k));
  if (bias.size() > 0) {
    if (rounds_each(arithmetic)) round_enclosure(arithmetic.io, y);
    add_row(y, bias.row(expert));
  }
  return y;
}

Enclosure quantized(Enclosure a, const ExpertArithmetic& arithmetic) {
  const QuantScheme scheme = scheme_of(arithmetic);
  if (scheme.activation_scale == Granularity::kNone) return a;
  return quantize_rows(a, {scheme.activation, scheme.activation_group});
}

/// All rows of one expert, x quantised already, up to its own result before the router weight.
Enclosure run_expert(const moe::ExpertInputs& in, std::size_t expert, Matrix x,
                     const ExpertArithmetic& arithmetic) {
  const auto row = static_cast<Eigen::Index>(expert);
  Enclosure y =
      linear(Enclosure::exact(std::move(x)), in.w13[expert], in.w13_bias, row, arithmetic);
  if (rounds_between(arithmetic)) round_enclosure(arithmetic.io, y);
  const Enclosure a = quantized(activate(y, arithmetic), arithmetic);
  y = linear(a, in.w2[expert], in.w2_bias, row, arithmetic);
  if (rounds_each(arithmetic)) round_enclosure(arithmetic.io, y);
  return y;
}

void add_to_token(const Enclosure& y, Eigen::Index row, std::int64_t token,
                  const ExpertArithmetic& arithmetic, Sums& sums) {
  const bool io_sum = arithmetic.profile.combine == Combine::kIoInExpertOrder;
  if (io_sum) {
    // The sum so far rounds before the next expert is added; the last sum rounds with the output.
    Enclosure sum{sums.out.mid.row(token), sums.out.radius.row(token)};
    round_enclosure(arithmetic.io, sum);
    sums.out.mid.row(token) = sum.mid;
    sums.out.radius.row(token) = sum.radius;
  }
  sums.out.mid.row(token) += y.mid.row(row);
  sums.out.radius.row(token) += y.radius.row(row);
  if (io_sum) {
    sums.out.radius.row(token) +=
        kUnit32 * (sums.out.mid.row(token).cwiseAbs() + sums.out.radius.row(token));
  }
  sums.magnitude.row(token) += y.mid.row(row).cwiseAbs() + y.radius.row(row);
  sums.grain.row(token) = sums.grain.row(token).cwiseMin(y.mid.row(row).unaryExpr(&grain_of));
}

/// Results times router weights, in fp32. `positions` (token · k + slot) name the rows.
void apply_weights(const moe::ExpertInputs& in, const std::vector<std::int64_t>& positions,
                   Enclosure& y) {
  for (Eigen::Index row = 0; row < y.mid.rows(); ++row) {
    const double weight = in.topk_weights.data()[positions[static_cast<std::size_t>(row)]];
    y.mid.row(row) *= weight;
    y.radius.row(row) *= std::abs(weight);
  }
  round_to_fp32(y);
}

/// An identity expert's share of the sum. Whether it rounds before it is added is not part of the
/// declared stages, so both are right: the hull of the rounded and the unrounded value.
void round_or_not(DType io, Enclosure& y) {
  Enclosure rounded = y;
  round_enclosure(io, rounded);
  const Matrix low = (y.mid - y.radius).cwiseMin(rounded.mid - rounded.radius);
  const Matrix high = (y.mid + y.radius).cwiseMax(rounded.mid + rounded.radius);
  y.mid = low + (high - low) / 2;
  y.radius = (high - low) / 2 * (1 + 4 * kUnit64);
}

std::vector<std::int64_t> identity_positions(const moe::ExpertInputs& in) {
  std::vector<std::int64_t> positions;
  for (std::size_t n = 0; n < in.ids.size(); ++n) {
    if (in.ids[n] >= in.e) positions.push_back(static_cast<std::int64_t>(n));
  }
  return positions;
}

void add_identities(const moe::ExpertInputs& in, const ExpertArithmetic& arithmetic, Sums& sums) {
  const auto positions = identity_positions(in);
  if (positions.empty()) return;
  moe::ExpertInputs plain = in;
  plain.weight_on = WeightOn::kOutput;
  Enclosure y = Enclosure::exact(moe::gathered_rows(plain, positions));
  apply_weights(in, positions, y);
  if (rounds_each(arithmetic)) {
    round_enclosure(arithmetic.io, y);
  } else {
    round_or_not(arithmetic.io, y);
  }
  for (Eigen::Index row = 0; row < y.mid.rows(); ++row) {
    add_to_token(y, row, positions[static_cast<std::size_t>(row)] / in.k, arithmetic, sums);
  }
}

void finish(const moe::ExpertInputs& in, const ExpertArithmetic& arithmetic, Sums& sums) {
  if (arithmetic.profile.combine == Combine::kFp32) {
    // k − 1 additions in any order; a single expert adds nothing.
    const double gamma = static_cast<double>(in.k - 1) * kUnit32 * 1.0001;
    for (Eigen::Index n = 0; n < sums.magnitude.size(); ++n) {
      double& radius = sums.out.radius.data()[n];
      const double magnitude = sums.magnitude.data()[n];
      if (radius != 0 || !sums_exactly(magnitude, sums.grain.data()[n]))
        radius += gamma * magnitude;
    }
  } else if (arithmetic.scale != 1) {
    round_enclosure(arithmetic.io, sums.out);
  }
  if (arithmetic.scale != 1) multiply_constant(sums.out, arithmetic.scale);
  add_output_rounding(arithmetic.io, sums.out);
}

}  // namespace

Expected experts(const moe::ExpertInputs& in, const ExpertArithmetic& arithmetic) {
  require_bounds(arithmetic);
  Sums sums{Enclosure::exact(Matrix::Zero(in.t, in.h)), Matrix::Zero(in.t, in.h),
            Matrix::Constant(in.t, in.h, grain_of(0.0))};
  const bool weighted_input = in.weight_on == WeightOn::kInput;
  const auto positions = moe::positions_by_expert(in);
  for (std::size_t expert = 0; expert < positions.size(); ++expert) {
    if (positions[expert].empty()) continue;
    // The input is known exactly, so its quantisation is, too.
    Enclosure x =
        quantized(Enclosure::exact(moe::gathered_rows(in, positions[expert])), arithmetic);
    Enclosure y = run_expert(in, expert, std::move(x.mid), arithmetic);
    if (!weighted_input) apply_weights(in, positions[expert], y);
    if (rounds_between(arithmetic)) round_enclosure(arithmetic.io, y);
    for (Eigen::Index row = 0; row < y.mid.rows(); ++row) {
      add_to_token(y, row, positions[expert][static_cast<std::size_t>(row)] / in.k, arithmetic,
                   sums);
    }
  }
  add_identities(in, arithmetic, sums);
  finish(in, arithmetic, sums);
  Expected expected{arithmetic.io, {in.t, in.h}, {}, {}};
  const Enclosure& out = sums.out;
  expected.value.assign(out.mid.data(), out.mid.data() + out.mid.size());
  expected.radius.assign(out.radius.data(), out.radius.data() + out.radius.size());
  return expected;
}

}  // namespace plumbline::bounds
