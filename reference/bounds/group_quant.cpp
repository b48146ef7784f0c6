#include "reference/bounds/group_quant.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace plumbline::bounds {
namespace {

constexpr float kLargest = 448.0F;
constexpr float kSmallestAmax = 1e-10F;

float scale_of(double amax) { return std::max(static_cast<float>(amax), kSmallestAmax) / kLargest; }

struct ScaleRange {
  float low;
  float high;
};

/// The scales that the largest magnitude of the group may lead to.
ScaleRange scales_of(const double* mid, const double* radius, Eigen::Index n) {
  double low = 0;
  double high = 0;
  for (Eigen::Index j = 0; j < n; ++j) {
    const double magnitude = std::abs(mid[j]);
    low = std::max(low, magnitude - radius[j]);
    high = std::max(high, magnitude + radius[j]);
  }
  return {scale_of(low), scale_of(high)};
}

float quotient(double x, float scale) {
  return std::clamp(static_cast<float>(x) / scale, -kLargest, kLargest);
}

bool all_finite(const double* mid, const double* radius, Eigen::Index n) {
  return std::all_of(mid, mid + n, [](double x) { return std::isfinite(x); }) &&
         std::all_of(radius, radius + n, [](double x) { return std::isfinite(x); });
}

/// Low and high quotients of one group, to be rounded to codes.
void divide_group(const double* mid, const double* radius, Eigen::Index n, ScaleRange scale,
                  double* low, double* high) {
  for (Eigen::Index j = 0; j < n; ++j) {
    const double from = mid[j] - radius[j];
    const double to = mid[j] + radius[j];
    low[j] = quotient(from, from < 0 ? scale.low : scale.high);
    high[j] = quotient(to, to < 0 ? scale.high : scale.low);
  }
}

}  // namespace

Enclosure quantize_groups(const Enclosure& x, std::int64_t group) {
  const Eigen::Index cols = x.mid.cols();
  const Eigen::Index groups = (cols + group - 1) / group;
  Matrix low(x.mid.rows(), cols);
  Matrix high(x.mid.rows(), cols);
  std::vector<ScaleRange> scales;
  for (Eigen::Index row = 0; row < x.mid.rows(); ++row) {
    for (Eigen::Index first = 0; first < cols; first += group) {
      const Eigen::Index n = std::min<Eigen::Index>(group, cols - first);
      const double* mid = &x.mid(row, first);
      const double* radius = &x.radius(row, first);
      // A group with NaN or infinity has no defined scale: nothing is promised for it.
      const bool finite = all_finite(mid, radius, n);
      scales.push_back(finite ? scales_of(mid, radius, n) : ScaleRange{1, 1});
      if (finite) {
        divide_group(mid, radius, n, scales.back(), &low(row, first), &high(row, first));
      } else {
        low.row(row).segment(first, n).setConstant(-std::numeric_limits<double>::infinity());
        high.row(row).segment(first, n).setConstant(std::numeric_limits<double>::infinity());
      }
    }
  }
  round_all(DType::kE4m3fn, low);
  round_all(DType::kE4m3fn, high);
  Enclosure result{Matrix(x.mid.rows(), cols), Matrix(x.mid.rows(), cols)};
  for (Eigen::Index row = 0; row < x.mid.rows(); ++row) {
    for (Eigen::Index j = 0; j < cols; ++j) {
      const ScaleRange s = scales[static_cast<std::size_t>(row * groups + j / group)];
      const double from = low(row, j) * (low(row, j) < 0 ? s.high : s.low);
      const double to = high(row, j) * (high(row, j) < 0 ? s.low : s.high);
      const bool finite = std::isfinite(to - from);
      result.mid(row, j) = finite ? from + (to - from) / 2 : 0;
      result.radius(row, j) = finite ? (to - from) / 2 : std::numeric_limits<double>::infinity();
    }
  }
  return result;
}

}  // namespace plumbline::bounds
