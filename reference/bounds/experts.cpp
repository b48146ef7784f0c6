#include "reference/bounds/experts.h"

#include <cmath>

#include "reference/bounds/carried.h"
#include "reference/bounds/exact.h"
#include "reference/bounds/expert_activation.h"
#include "reference/bounds/expert_steps.h"
#include "reference/bounds/group_quant.h"
#include "reference/spec/ids.h"
#include "reference/spec/status.h"

namespace plumbline::bounds {
namespace {

/// The layer while its tokens are added up.
struct Sums {
  Carried out;       ///< [t, h]
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

}  // namespace

QuantScheme scheme_of(const ExpertArithmetic& arithmetic) {
  const auto scheme = quant_from_name(arithmetic.quant);
  if (!scheme) throw BadInput("", "quant", "no such scheme: " + arithmetic.quant);
  return *scheme;
}

namespace {

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

}  // namespace

SumErrors errors_of(const ExpertArithmetic& arithmetic, std::int64_t k) {
  const QuantScheme scheme = scheme_of(arithmetic);
  SumErrors errors;
  errors.truncating = arithmetic.profile.accumulator == Accumulator::kFp32Truncating;
  errors.reference = reference_gamma(k);
  if (arithmetic.profile.accumulator == Accumulator::kInt32 && scheme.activation == DType::kI8) {
    errors.gamma = 3 * kUnit32 / (1 - 3 * kUnit32);
    errors.scalings = 3;
    return errors;
  }
  const std::int64_t group = scheme.activation_group;
  std::int64_t groups = scheme.activation_scale == Granularity::kToken ? 1 : 0;
  if (group > 0) groups = (k + group - 1) / group;
  errors.gamma = gamma32(k, groups, errors.truncating);
  errors.roundings = k + 2 * groups + 4;
  return errors;
}

namespace {

/// a·wᵀ + bias with the roundings of the profile.
Carried linear(const Carried& a, const Matrix& w, const Matrix& bias, Eigen::Index expert,
               const ExpertArithmetic& arithmetic) {
  Carried y = multiply_transposed(a, w, errors_of(arithmetic, w.cols()));
  if (bias.size() > 0) {
    if (rounds_each(arithmetic)) round(arithmetic.io, y);
    add_row(y, bias.row(expert));
  }
  return y;
}

Carried quantized(Carried a, const ExpertArithmetic& arithmetic) {
  const QuantScheme scheme = scheme_of(arithmetic);
  if (scheme.activation_scale == Granularity::kNone) return a;
  return quantize_rows(a, {scheme.activation, scheme.activation_group, arithmetic.profile.quant});
}

/// All rows of one expert, x quantised already, up to its own result before the router weight.
Carried run_expert(const moe::ExpertInputs& in, std::size_t expert, const Carried& x,
                   const ExpertArithmetic& arithmetic) {
  const auto row = static_cast<Eigen::Index>(expert);
  Carried y = linear(x, in.w13[expert], in.w13_bias, row, arithmetic);
  if (rounds_between(arithmetic)) round(arithmetic.io, y);
  const Carried a = quantized(activate(y, arithmetic), arithmetic);
  y = linear(a, in.w2[expert], in.w2_bias, row, arithmetic);
  if (rounds_each(arithmetic)) round(arithmetic.io, y);
  return y;
}

/// sums[to] += y[from], both tracks.
void add_rows(const Carried& y, Eigen::Index from, Eigen::Index to, Carried& sums) {
  sums.rigorous.mid.row(to) += y.rigorous.mid.row(from);
  sums.rigorous.radius.row(to) += y.rigorous.radius.row(from);
  if (!sums.nominal) return;
  sums.nominal->value.row(to) += y.nominal->value.row(from);
  sums.nominal->fixed.row(to) += y.nominal->fixed.row(from);
  sums.nominal->proxy.row(to) += y.nominal->proxy.row(from);
  sums.nominal->variance.row(to) += y.nominal->variance.row(from);
  sums.nominal->expected.row(to) += y.nominal->expected.row(from);
}

Carried row_of(const Carried& all, Eigen::Index row) {
  Carried one;
  one.rigorous = {all.rigorous.mid.row(row), all.rigorous.radius.row(row)};
  if (!all.nominal) return one;
  const Nominal& n = *all.nominal;
  one.nominal = Nominal{n.value.row(row), n.fixed.row(row), n.proxy.row(row), n.variance.row(row),
                        n.expected.row(row)};
  return one;
}

void clear_row(Carried& all, Eigen::Index row) {
  all.rigorous.mid.row(row).setZero();
  all.rigorous.radius.row(row).setZero();
  if (!all.nominal) return;
  for (Matrix* part : {&all.nominal->value, &all.nominal->fixed, &all.nominal->proxy,
                       &all.nominal->variance, &all.nominal->expected}) {
    part->row(row).setZero();
  }
}

/// The sum so far rounds before the next expert is added; the last sum rounds with the output.
void add_rounded(const Carried& y, Eigen::Index row, std::int64_t token, DType io, Carried& out) {
  Carried sum = row_of(out, token);
  round(io, sum);
  add_rows(y, row, 0, sum);
  sum.rigorous.radius += kUnit32 * (sum.rigorous.mid.cwiseAbs() + sum.rigorous.radius);
  if (sum.nominal) round_to_fp32(sum.rigorous, *sum.nominal);
  clear_row(out, token);
  add_rows(sum, 0, token, out);
}

void add_to_token(const Carried& y, Eigen::Index row, std::int64_t token,
                  const ExpertArithmetic& arithmetic, Sums& sums) {
  if (arithmetic.profile.combine == Combine::kIoInExpertOrder) {
    add_rounded(y, row, token, arithmetic.io, sums.out);
  } else {
    add_rows(y, row, token, sums.out);
  }
  const Enclosure& one = y.rigorous;
  sums.magnitude.row(token) += one.mid.row(row).cwiseAbs() + one.radius.row(row);
  sums.grain.row(token) = sums.grain.row(token).cwiseMin(one.mid.row(row).unaryExpr(&grain_of));
}

/// Results times router weights, in fp32. `positions` (token · k + slot) name the rows.
void apply_weights(const moe::ExpertInputs& in, const std::vector<std::int64_t>& positions,
                   Carried& y) {
  Eigen::VectorXd weights(y.rigorous.mid.rows());
  for (Eigen::Index row = 0; row < weights.size(); ++row) {
    weights[row] = in.topk_weights.data()[positions[static_cast<std::size_t>(row)]];
  }
  multiply_rows(y, weights);
}

/// An identity expert's share of the sum. Whether it rounds before it is added is not part of the
/// declared stages, so both are right: the hull of the rounded and the unrounded value.
void round_or_not(DType io, Carried& y) {
  Carried rounded = y;
  round(io, rounded);
  Enclosure& w = y.rigorous;
  const Enclosure& other = rounded.rigorous;
  const Matrix low = (w.mid - w.radius).cwiseMin(other.mid - other.radius);
  const Matrix high = (w.mid + w.radius).cwiseMax(other.mid + other.radius);
  w.mid = low + (high - low) / 2;
  w.radius = (high - low) / 2 * (1 + 4 * kUnit64);
  if (y.nominal) {
    y.nominal->fixed +=
        (rounded.nominal->value - y.nominal->value).cwiseAbs() + rounded.nominal->fixed;
  }
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
  Carried y = Carried::exact(moe::gathered_rows(plain, positions), arithmetic.calibrated);
  apply_weights(in, positions, y);
  if (rounds_each(arithmetic)) {
    round(arithmetic.io, y);
  } else {
    round_or_not(arithmetic.io, y);
  }
  for (Eigen::Index row = 0; row < y.rigorous.mid.rows(); ++row) {
    add_to_token(y, row, positions[static_cast<std::size_t>(row)] / in.k, arithmetic, sums);
  }
}

/// k − 1 additions in fp32 in any order; a single expert adds nothing.
void add_combine_errors(std::int64_t k, Sums& sums) {
  const double gamma = static_cast<double>(k - 1) * kUnit32 * 1.0001;
  Enclosure& out = sums.out.rigorous;
  for (Eigen::Index n = 0; n < sums.magnitude.size(); ++n) {
    const double magnitude = sums.magnitude.data()[n];
    const bool exact = out.radius.data()[n] == 0 && sums_exactly(magnitude, sums.grain.data()[n]);
    if (exact) continue;
    out.radius.data()[n] += gamma * magnitude;
    if (!sums.out.nominal) continue;
    sums.out.nominal->fixed.data()[n] += gamma * magnitude;
    sums.out.nominal->expected.data()[n] += gamma * gamma * magnitude * magnitude / 12;
  }
}

void finish(const moe::ExpertInputs& in, const ExpertArithmetic& arithmetic, Sums& sums) {
  if (arithmetic.profile.combine == Combine::kFp32) {
    add_combine_errors(in.k, sums);
  } else if (arithmetic.scale != 1) {
    round(arithmetic.io, sums.out);
  }
  if (arithmetic.scale != 1) multiply_constant(sums.out, arithmetic.scale);
  add_output_rounding(arithmetic.io, sums.out.rigorous);
}

}  // namespace

Expected experts(const moe::ExpertInputs& in, const ExpertArithmetic& arithmetic) {
  require_bounds(arithmetic);
  Sums sums{Carried::exact(Matrix::Zero(in.t, in.h), arithmetic.calibrated),
            Matrix::Zero(in.t, in.h), Matrix::Constant(in.t, in.h, grain_of(0.0))};
  const bool weighted_input = in.weight_on == WeightOn::kInput;
  const auto positions = moe::positions_by_expert(in);
  for (std::size_t expert = 0; expert < positions.size(); ++expert) {
    if (positions[expert].empty()) continue;
    // The input is known exactly, so its quantisation is, too, unless a division is approximate.
    Carried x = Carried::exact(moe::gathered_rows(in, positions[expert]), arithmetic.calibrated);
    Carried y = run_expert(in, expert, quantized(std::move(x), arithmetic), arithmetic);
    if (!weighted_input) apply_weights(in, positions[expert], y);
    if (rounds_between(arithmetic)) round(arithmetic.io, y);
    for (Eigen::Index row = 0; row < y.rigorous.mid.rows(); ++row) {
      add_to_token(y, row, positions[expert][static_cast<std::size_t>(row)] / in.k, arithmetic,
                   sums);
    }
  }
  add_identities(in, arithmetic, sums);
  finish(in, arithmetic, sums);
  Expected expected{arithmetic.io, {in.t, in.h}, {}, {}};
  const Enclosure& out = sums.out.rigorous;
  expected.value.assign(out.mid.data(), out.mid.data() + out.mid.size());
  expected.radius.assign(out.radius.data(), out.radius.data() + out.radius.size());
  if (sums.out.nominal) {
    expected.calibrated = calibrated_output(arithmetic.io, *sums.out.nominal, out);
  }
  return expected;
}

}  // namespace plumbline::bounds
