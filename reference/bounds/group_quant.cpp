#include "reference/bounds/group_quant.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace plumbline::bounds {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct StepRange {
  QuantStep low;
  QuantStep high;
};

/// What the largest magnitude of the group may lead to.
StepRange steps_of(const double* mid, const double* radius, Eigen::Index n,
                   const DynamicQuant& quant) {
  double low = 0;
  double high = 0;
  for (Eigen::Index j = 0; j < n; ++j) {
    const double magnitude = std::abs(mid[j]);
    low = std::max(low, magnitude - radius[j]);
    high = std::max(high, magnitude + radius[j]);
  }
  return {quant_step(low, quant), quant_step(high, quant)};
}

bool all_finite(const double* mid, const double* radius, Eigen::Index n) {
  return std::all_of(mid, mid + n, [](double x) { return std::isfinite(x); }) &&
         std::all_of(radius, radius + n, [](double x) { return std::isfinite(x); });
}

/// A group of one row: where it begins in the matrices, and how long it is.
struct Group {
  Eigen::Index row;
  Eigen::Index first;
  Eigen::Index count;
};

/// Low and high quotients of one group, to be rounded to codes.
void divide_group(const Enclosure& x, const Group& group, const StepRange& step,
                  const DynamicQuant& quant, Enclosure& ends) {
  for (Eigen::Index j = group.first; j < group.first + group.count; ++j) {
    const double from = x.mid(group.row, j) - x.radius(group.row, j);
    const double to = x.mid(group.row, j) + x.radius(group.row, j);
    ends.mid(group.row, j) = quotient_low(from, from < 0 ? step.low : step.high, quant);
    ends.radius(group.row, j) = quotient_high(to, to < 0 ? step.high : step.low, quant);
  }
}

/// Infinities mark groups without a scale and stay.
void round_codes(const DynamicQuant& quant, Matrix& quotients) {
  if (quant.code == DType::kI8 && quant.arithmetic.ties == IntegerTies::kAway) {
    quotients = quotients.unaryExpr([&quant](double value) { return code_of(value, quant); });
  } else {
    quotients = quotients.unaryExpr(Grid(quant.code));
  }
}

/// The steps of a group and, in `ends`, its quotients. A group with NaN or infinity has no defined
/// scale: nothing is promised for it.
StepRange scale_group(const Enclosure& x, const Group& group, const DynamicQuant& quant,
                      Enclosure& ends) {
  const double* mid = &x.mid(group.row, group.first);
  const double* radius = &x.radius(group.row, group.first);
  if (!all_finite(mid, radius, group.count)) {
    ends.mid.row(group.row).segment(group.first, group.count).setConstant(-kInfinity);
    ends.radius.row(group.row).segment(group.first, group.count).setConstant(kInfinity);
    return {};
  }
  const StepRange step = steps_of(mid, radius, group.count, quant);
  divide_group(x, group, step, quant, ends);
  return step;
}

}  // namespace

Enclosure quantize_rows(const Enclosure& x, const DynamicQuant& quant) {
  const Eigen::Index cols = x.mid.cols();
  const Eigen::Index width = std::max<Eigen::Index>(1, quant.group > 0 ? quant.group : cols);
  const Eigen::Index groups = (cols + width - 1) / width;
  // Here `mid` holds the low ends and `radius` the high ones.
  Enclosure ends{Matrix(x.mid.rows(), cols), Matrix(x.mid.rows(), cols)};
  std::vector<StepRange> steps;
  for (Eigen::Index row = 0; row < x.mid.rows(); ++row) {
    for (Eigen::Index first = 0; first < cols; first += width) {
      const Group group{row, first, std::min(width, cols - first)};
      steps.push_back(scale_group(x, group, quant, ends));
    }
  }
  round_codes(quant, ends.mid);
  round_codes(quant, ends.radius);
  Enclosure result{Matrix(x.mid.rows(), cols), Matrix(x.mid.rows(), cols)};
  for (Eigen::Index row = 0; row < x.mid.rows(); ++row) {
    for (Eigen::Index j = 0; j < cols; ++j) {
      const StepRange& s = steps[static_cast<std::size_t>(row * groups + j / width)];
      const double low = ends.mid(row, j);
      const double high = ends.radius(row, j);
      const double from = low * (low < 0 ? s.high.scale : s.low.scale);
      const double to = high * (high < 0 ? s.low.scale : s.high.scale);
      const bool finite = std::isfinite(to - from);
      result.mid(row, j) = finite ? from + (to - from) / 2 : 0;
      result.radius(row, j) = finite ? (to - from) / 2 : kInfinity;
    }
  }
  return result;
}

}  // namespace plumbline::bounds
