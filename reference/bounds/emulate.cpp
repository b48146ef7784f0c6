#include "reference/bounds/emulate.h"

#include <algorithm>
#include <cmath>

#include "reference/bounds/group_quant.h"
#include "reference/formats/codec.h"

namespace plumbline::bounds::emulate {
namespace {

float pairwise(const double* a, const double* b, Eigen::Index n) {
  if (n <= 2) {
    float sum = 0;
    for (Eigen::Index j = 0; j < n; ++j) {
      sum += static_cast<float>(a[j]) * static_cast<float>(b[j]);
    }
    return sum;
  }
  return pairwise(a, b, n / 2) + pairwise(a + n / 2, b + n / 2, n - n / 2);
}

float lanes(const double* a, const double* b, Eigen::Index n) {
  float sums[8] = {};
  for (Eigen::Index j = 0; j < n; ++j) {
    sums[j % 8] = std::fma(static_cast<float>(a[j]), static_cast<float>(b[j]), sums[j % 8]);
  }
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

/// A row as an operand of a product.
Matrix operand(const Matrix& row, std::int64_t group) {
  return group > 0 ? quantize_rows(Enclosure::exact(row), {DType::kE4m3fn, group}).mid : row;
}

float silu(float g, float u) { return g / (1.0F + std::exp(-g)) * u; }

}  // namespace

Matrix draw(std::string_view kind, Eigen::Index rows, Eigen::Index cols, DType dtype,
            std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0, 1);
  Matrix m(rows, cols);
  for (Eigen::Index i = 0; i < rows; ++i) {
    for (Eigen::Index j = 0; j < cols; ++j) {
      double x = normal(random);
      if (kind == "heavy") x /= std::sqrt(0.02 + uniform(random));
      if (kind == "integers") x = std::round(3 * x);
      if (kind == "positive") x = 0.5 + uniform(random);
      if (kind == "cancelling" && j % 2 == 1) x = -m(i, j - 1);
      m(i, j) = formats::round_to(dtype, x);
    }
  }
  return m;
}

float dot(const double* a, const double* b, Eigen::Index n, Order order) {
  if (order == Order::kPairwise) return pairwise(a, b, n);
  if (order == Order::kLanes) return lanes(a, b, n);
  float sum = 0;
  for (Eigen::Index step = 0; step < n; ++step) {
    const Eigen::Index j = order == Order::kReverse ? n - 1 - step : step;
    const auto x = static_cast<float>(a[j]);
    const auto y = static_cast<float>(b[j]);
    sum = order == Order::kFma ? std::fma(x, y, sum) : sum + x * y;
  }
  return sum;
}

float round(DType dtype, float x) {
  return static_cast<float>(formats::round_to(dtype, static_cast<double>(x)));
}

Matrix staged_experts(const moe::ExpertInputs& in, Order order, std::int64_t group,
                      ExpertRounding rounding) {
  constexpr DType kIo = DType::kBf16;
  const DType between = rounding == ExpertRounding::kStages ? kIo : DType::kF32;
  const DType after_activation = rounding == ExpertRounding::kOutput ? DType::kF32 : kIo;
  Matrix out = Matrix::Zero(in.t, in.h);
  std::vector<double> gemm1(static_cast<std::size_t>(2 * in.i));
  Matrix activated(1, in.i);
  for (std::int64_t t = 0; t < in.t; ++t) {
    const Matrix x = operand(in.x.row(t), group);
    std::vector<float> sum(static_cast<std::size_t>(in.h), 0.0F);
    for (std::int64_t slot = 0; slot < in.k; ++slot) {
      const auto expert =
          static_cast<std::size_t>(in.ids[static_cast<std::size_t>(t * in.k + slot)]);
      for (std::size_t r = 0; r < gemm1.size(); ++r) {
        const double* w = &in.w13[expert](static_cast<Eigen::Index>(r), 0);
        gemm1[r] = round(between, dot(x.data(), w, in.h, order));
      }
      for (Eigen::Index r = 0; r < in.i; ++r) {
        const auto gate = static_cast<float>(gemm1[static_cast<std::size_t>(r)]);
        const auto up = static_cast<float>(gemm1[static_cast<std::size_t>(r + in.i)]);
        activated(0, r) = round(after_activation, silu(gate, up));
      }
      const Matrix a = operand(activated, group);
      const auto weight = static_cast<float>(in.topk_weights(t, slot));
      for (std::size_t r = 0; r < sum.size(); ++r) {
        const double* w = &in.w2[expert](static_cast<Eigen::Index>(r), 0);
        sum[r] += round(between, dot(a.data(), w, in.i, order) * weight);
      }
    }
    for (std::size_t r = 0; r < sum.size(); ++r) {
      out(t, static_cast<Eigen::Index>(r)) = round(kIo, sum[r]);
    }
  }
  return out;
}

std::int64_t outside(const Matrix& value, const Matrix& radius, const Matrix& got) {
  std::int64_t count = 0;
  for (Eigen::Index n = 0; n < value.size(); ++n) {
    const double distance = std::abs(got.data()[n] - value.data()[n]);
    if (!(distance <= radius.data()[n])) ++count;
  }
  return count;
}

std::int64_t outside(const Expected& expected, const Matrix& got) {
  const Eigen::Map<const Matrix> value(expected.value.data(), got.rows(), got.cols());
  const Eigen::Map<const Matrix> radius(expected.radius.data(), got.rows(), got.cols());
  return outside(Matrix(value), Matrix(radius), got);
}

}  // namespace plumbline::bounds::emulate
