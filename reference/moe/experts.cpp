#include "reference/moe/experts.h"

#include <string>

#include "reference/formats/codec.h"
#include "reference/ops/activation.h"
#include "reference/ops/gemm.h"
#include "reference/spec/status.h"

namespace plumbline::moe {
namespace {

void check_rows(const ExpertInputs& in, const Activation& activation) {
  const std::int64_t rows = activation.gated() ? 2 * in.i : in.i;
  for (const Matrix& w13 : in.w13) {
    if (w13.rows() == rows) continue;
    throw BadInput("", "w13",
                   "activation " + activation.text() + " needs " + std::to_string(rows) +
                       " rows an expert, not " + std::to_string(w13.rows()));
  }
}

/// Results of one expert for the rows x [n, h].
Matrix apply_expert(const ExpertInputs& in, const Activation& activation, std::size_t expert,
                    const Matrix& x) {
  const auto row = static_cast<Eigen::Index>(expert);
  Matrix gemm1 = ops::matmul_transposed(x, in.w13[expert]);
  if (in.w13_bias.size() > 0) gemm1.rowwise() += in.w13_bias.row(row);
  Matrix gemm2 = ops::matmul_transposed(ops::activate_rows(activation, gemm1), in.w2[expert]);
  if (in.w2_bias.size() > 0) gemm2.rowwise() += in.w2_bias.row(row);
  return gemm2;
}

}  // namespace

std::vector<std::vector<std::int64_t>> positions_by_expert(const ExpertInputs& inputs) {
  std::vector<std::vector<std::int64_t>> positions(static_cast<std::size_t>(inputs.e));
  for (std::size_t n = 0; n < inputs.ids.size(); ++n) {
    const std::int64_t id = inputs.ids[n];
    if (id < 0 || id >= inputs.e) continue;
    positions[static_cast<std::size_t>(id)].push_back(static_cast<std::int64_t>(n));
  }
  return positions;
}

Matrix gathered_rows(const ExpertInputs& inputs, const std::vector<std::int64_t>& positions) {
  Matrix rows(std::ssize(positions), inputs.h);
  for (Eigen::Index row = 0; row < rows.rows(); ++row) {
    const std::int64_t position = positions[static_cast<std::size_t>(row)];
    rows.row(row) = inputs.x.row(position / inputs.k);
    if (inputs.weight_on == WeightOn::kOutput) continue;
    const double weight = inputs.topk_weights.data()[position];
    for (Eigen::Index c = 0; c < rows.cols(); ++c) {
      // Two roundings, as the formula says: the product in fp32, then the type of x.
      const auto product = static_cast<float>(weight * rows(row, c));
      rows(row, c) = formats::round_to(inputs.io, product);
    }
  }
  return rows;
}

Matrix experts(const ExpertInputs& inputs, const Activation& activation, double scale) {
  check_rows(inputs, activation);
  Matrix out = Matrix::Zero(inputs.t, inputs.h);
  const auto positions = positions_by_expert(inputs);
  for (std::size_t expert = 0; expert < positions.size(); ++expert) {
    if (positions[expert].empty()) continue;
    const Matrix x = gathered_rows(inputs, positions[expert]);
    const Matrix result = apply_expert(inputs, activation, expert, x);
    Eigen::Index row = 0;
    for (const std::int64_t n : positions[expert]) {
      const bool weighted = inputs.weight_on == WeightOn::kInput;
      out.row(n / inputs.k) += (weighted ? 1.0 : inputs.topk_weights.data()[n]) * result.row(row++);
    }
  }
  for (std::size_t n = 0; n < inputs.ids.size(); ++n) {
    if (inputs.ids[n] < inputs.e) continue;
    const auto t = static_cast<std::int64_t>(n) / inputs.k;
    out.row(t) += inputs.topk_weights.data()[n] * inputs.x.row(t);
  }
  return scale * out;
}

}  // namespace plumbline::moe
