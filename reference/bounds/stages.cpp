#include "reference/bounds/stages.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "reference/bounds/enclosure.h"
#include "reference/bounds/exact.h"
#include "reference/bounds/expert_activation.h"
#include "reference/bounds/expert_steps.h"
#include "reference/bounds/group_quant.h"
#include "reference/spec/status.h"

namespace plumbline::bounds {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

DynamicQuant quant_of(const ExpertArithmetic& arithmetic) {
  const QuantScheme scheme = scheme_of(arithmetic);
  return {scheme.activation, scheme.activation_group, arithmetic.profile.quant};
}

Eigen::Index width_of(const DynamicQuant& quant, Eigen::Index cols) {
  return std::max<Eigen::Index>(1, quant.group > 0 ? quant.group : cols);
}

Expected to_expected(DType dtype, std::vector<std::int64_t> shape, const Enclosure& stage) {
  Expected expected{dtype, std::move(shape), {}, {}};
  expected.value.assign(stage.mid.data(), stage.mid.data() + stage.mid.size());
  expected.radius.assign(stage.radius.data(), stage.radius.data() + stage.radius.size());
  return expected;
}

/// Nothing is promised for any element yet.
Enclosure unbounded(Eigen::Index rows, Eigen::Index cols) {
  return {Matrix::Zero(rows, cols), Matrix::Constant(rows, cols, kInfinity)};
}

/// Every group of every row of x: its step, and where it lies.
using VisitGroup = std::function<void(Eigen::Index row, Eigen::Index first, const QuantStep&)>;
void for_each_group(const Matrix& x, const DynamicQuant& quant, const VisitGroup& visit) {
  const Eigen::Index width = width_of(quant, x.cols());
  for (Eigen::Index row = 0; row < x.rows(); ++row) {
    for (Eigen::Index first = 0; first < x.cols(); first += width) {
      const auto group = x.row(row).segment(first, std::min(width, x.cols() - first));
      if (!group.allFinite()) continue;
      visit(row, first, quant_step(group.cwiseAbs().maxCoeff(), quant));
    }
  }
}

bool sums_in_int32(const ExpertArithmetic& arithmetic) {
  return arithmetic.profile.accumulator == Accumulator::kInt32 &&
         scheme_of(arithmetic).activation == DType::kI8;
}

void round_each(const ExpertArithmetic& arithmetic, Enclosure& y) {
  if (arithmetic.profile.rounding != ExpertRounding::kEveryOperation) return;
  round_enclosure(arithmetic.io, y);
}

/// a·wᵀ + bias.
Enclosure product(const Enclosure& a, const Matrix& w, const Matrix& bias, Eigen::Index expert,
                  const ExpertArithmetic& arithmetic) {
  const double gamma = errors_of(arithmetic, w.cols()).gamma;
  const double reference = reference_gamma(w.cols());
  const bool exact_sum = sums_in_int32(arithmetic);
  Enclosure y = multiply_transposed(a, w, exact_sum ? reference : gamma + reference);
  if (exact_sum) y.radius += gamma * (y.mid.cwiseAbs() + y.radius);
  if (bias.size() == 0) return y;
  round_each(arithmetic, y);
  add_row(y, bias.row(expert));
  return y;
}

Matrix rows_of(const Matrix& all, const std::vector<std::int64_t>& rows) {
  Matrix some(static_cast<Eigen::Index>(rows.size()), all.cols());
  for (std::size_t n = 0; n < rows.size(); ++n) {
    some.row(static_cast<Eigen::Index>(n)) = all.row(rows[n]);
  }
  return some;
}

/// What one expert makes of the rows at `positions`.
using RunExpert = std::function<Enclosure(std::size_t, const std::vector<std::int64_t>&)>;

/// The results of all experts at their positions.
Enclosure by_expert(const moe::ExpertInputs& in, Eigen::Index cols, const RunExpert& run) {
  Enclosure all = unbounded(in.t * in.k, cols);
  const auto positions = moe::positions_by_expert(in);
  for (std::size_t expert = 0; expert < positions.size(); ++expert) {
    if (positions[expert].empty()) continue;
    const Enclosure some = run(expert, positions[expert]);
    for (Eigen::Index row = 0; row < some.mid.rows(); ++row) {
      const Eigen::Index to = positions[expert][static_cast<std::size_t>(row)];
      all.mid.row(to) = some.mid.row(row);
      all.radius.row(to) = some.radius.row(row);
    }
  }
  return all;
}

void check_shape(const char* stage, const Matrix& got, Eigen::Index rows, Eigen::Index cols) {
  if (got.rows() == rows && got.cols() == cols) return;
  throw ContractViolation(std::string("bounds::stage_") + stage + ": the stage before is not [" +
                          std::to_string(rows) + ", " + std::to_string(cols) + "]");
}

/// Slots of a token that hold an expert, in the order that they are added in io: by expert id.
std::vector<Eigen::Index> slots_by_expert(const moe::ExpertInputs& in, Eigen::Index token) {
  const auto id_of = [&](Eigen::Index slot) {
    return in.ids[static_cast<std::size_t>(token * in.k + slot)];
  };
  std::vector<Eigen::Index> slots;
  for (Eigen::Index slot = 0; slot < in.k; ++slot) {
    if (id_of(slot) >= 0) slots.push_back(slot);
  }
  std::stable_sort(slots.begin(), slots.end(),
                   [&](Eigen::Index a, Eigen::Index b) { return id_of(a) < id_of(b); });
  return slots;
}

/// One element of the sum over the slots, not rounded to io yet.
struct Sum {
  double value = 0;
  double radius = 0;
};

Sum sum_fp32(const std::vector<double>& terms) {
  double magnitude = 0;
  double grain = kInfinity;
  Sum sum;
  for (const double term : terms) {
    sum.value += term;
    magnitude += std::abs(term);
    grain = std::min(grain, grain_of(term));
  }
  if (sums_exactly(magnitude, grain)) return sum;
  const double additions = static_cast<double>(std::ssize(terms) - 1);
  sum.radius = (additions * kUnit32 * 1.0001 + reference_gamma(std::ssize(terms))) * magnitude;
  return sum;
}

Sum sum_io(const std::vector<double>& terms, DType io) {
  Matrix sum = Matrix::Zero(1, 1);
  for (const double term : terms) {
    round_all(io, sum);
    sum(0, 0) = static_cast<float>(sum(0, 0) + term);
  }
  return {sum(0, 0), 0};
}

}  // namespace

Expected stage_x_scale(const Matrix& x, const ExpertArithmetic& arithmetic) {
  const DynamicQuant quant = quant_of(arithmetic);
  const Eigen::Index width = width_of(quant, x.cols());
  Enclosure scales = unbounded(x.rows(), (x.cols() + width - 1) / width);
  for_each_group(x, quant, [&](Eigen::Index row, Eigen::Index first, const QuantStep& step) {
    scales.mid(row, first / width) = step.scale;
    scales.radius(row, first / width) = 0;
  });
  return to_expected(DType::kF32, {scales.mid.rows(), scales.mid.cols()}, scales);
}

Expected stage_x_quantized(const Matrix& x, const ExpertArithmetic& arithmetic) {
  const DynamicQuant quant = quant_of(arithmetic);
  const Eigen::Index width = width_of(quant, x.cols());
  Enclosure codes = unbounded(x.rows(), x.cols());
  for_each_group(x, quant, [&](Eigen::Index row, Eigen::Index first, const QuantStep& step) {
    for (Eigen::Index j = first; j < std::min(first + width, x.cols()); ++j) {
      const double low = code_of(quotient_low(x(row, j), step, quant), quant);
      const double high = code_of(quotient_high(x(row, j), step, quant), quant);
      codes.mid(row, j) = low + (high - low) / 2;
      codes.radius(row, j) = (high - low) / 2;
    }
  });
  return to_expected(quant.code, {x.rows(), x.cols()}, codes);
}

Matrix dequantized(const Matrix& codes, const Matrix& scales, const ExpertArithmetic& arithmetic) {
  const Eigen::Index width = width_of(quant_of(arithmetic), codes.cols());
  check_shape("gemm1", scales, codes.rows(), (codes.cols() + width - 1) / width);
  Matrix values = codes;
  for (Eigen::Index j = 0; j < codes.cols(); ++j) {
    values.col(j).array() *= scales.col(j / width).array();
  }
  return values;
}

Expected stage_gemm1(const moe::ExpertInputs& in, const Matrix& x,
                     const ExpertArithmetic& arithmetic) {
  check_shape("gemm1", x, in.t, in.h);
  const Eigen::Index cols = in.w13.empty() ? 0 : in.w13.front().rows();
  const auto run = [&](std::size_t expert, const std::vector<std::int64_t>& positions) {
    std::vector<std::int64_t> tokens = positions;
    for (std::int64_t& token : tokens) token /= in.k;
    Enclosure y = product(Enclosure::exact(rows_of(x, tokens)), in.w13[expert], in.w13_bias,
                          static_cast<Eigen::Index>(expert), arithmetic);
    round_enclosure(arithmetic.io, y);
    return y;
  };
  return to_expected(arithmetic.io, {in.t * in.k, cols}, by_expert(in, cols, run));
}

Expected stage_activation(const moe::ExpertInputs& in, const Matrix& gemm1,
                          const ExpertArithmetic& arithmetic) {
  const Eigen::Index rows = arithmetic.activation.gated() ? 2 * in.i : in.i;
  check_shape("activation", gemm1, in.t * in.k, rows);
  const auto run = [&](std::size_t, const std::vector<std::int64_t>& positions) {
    Enclosure y = activate(Carried::exact(rows_of(gemm1, positions), false), arithmetic).rigorous;
    round_enclosure(arithmetic.io, y);
    return y;
  };
  return to_expected(arithmetic.io, {in.t * in.k, in.i}, by_expert(in, in.i, run));
}

Expected stage_experts(const moe::ExpertInputs& in, const Matrix& activation,
                       const ExpertArithmetic& arithmetic) {
  check_shape("experts", activation, in.t * in.k, in.i);
  const bool quantises = scheme_of(arithmetic).activation_scale != Granularity::kNone;
  const auto run = [&](std::size_t expert, const std::vector<std::int64_t>& positions) {
    Enclosure a = Enclosure::exact(rows_of(activation, positions));
    if (quantises) a = quantize_rows(a, quant_of(arithmetic));
    Enclosure y =
        product(a, in.w2[expert], in.w2_bias, static_cast<Eigen::Index>(expert), arithmetic);
    round_each(arithmetic, y);
    for (Eigen::Index row = 0; row < y.mid.rows(); ++row) {
      const double weight = in.topk_weights.data()[positions[static_cast<std::size_t>(row)]];
      y.mid.row(row) *= weight;
      y.radius.row(row) *= std::abs(weight);
    }
    round_to_fp32(y);
    round_enclosure(arithmetic.io, y);
    return y;
  };
  return to_expected(arithmetic.io, {in.t, in.k, in.h}, by_expert(in, in.h, run));
}

Expected stage_out(const moe::ExpertInputs& in, const Matrix& weighted,
                   const ExpertArithmetic& arithmetic) {
  check_shape("out", weighted, in.t * in.k, in.h);
  const bool in_io = arithmetic.profile.combine == Combine::kIoInExpertOrder;
  Enclosure out = Enclosure::exact(Matrix::Zero(in.t, in.h));
  for (Eigen::Index token = 0; token < in.t; ++token) {
    const std::vector<Eigen::Index> slots = slots_by_expert(in, token);
    std::vector<double> terms(slots.size());
    for (Eigen::Index j = 0; j < in.h && !terms.empty(); ++j) {
      const auto term = [&](Eigen::Index slot) { return weighted(token * in.k + slot, j); };
      std::transform(slots.begin(), slots.end(), terms.begin(), term);
      const Sum sum = in_io ? sum_io(terms, arithmetic.io) : sum_fp32(terms);
      out.mid(token, j) = sum.value;
      out.radius(token, j) = sum.radius;
    }
  }
  if (in_io && arithmetic.scale != 1) round_enclosure(arithmetic.io, out);
  if (arithmetic.scale != 1) multiply_constant(out, arithmetic.scale);
  round_enclosure(arithmetic.io, out);
  return to_expected(arithmetic.io, {in.t, in.h}, out);
}

}  // namespace plumbline::bounds
