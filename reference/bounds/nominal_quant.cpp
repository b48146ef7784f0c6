#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/bounds/group_quant.h"

namespace plumbline::bounds {
namespace {

/// One group of one row.
struct Group {
  Eigen::Index first;  ///< position of its first element in the matrices
  Eigen::Index count;
};

/// What a group may be quantised with: nominally, and at the ends of the range of its amax.
struct Steps {
  QuantStep low;
  QuantStep nominal;
  QuantStep high;

  double doubt() const {
    const double s = nominal.scale;
    return std::max(double{high.scale} / s - 1, 1 - double{low.scale} / s);
  }
};

/// Codes from values.
class Coder {
 public:
  explicit Coder(const DynamicQuant& quant) : quant_(quant), grid_(quant.code) {}

  double low(double value, const QuantStep& step) const {
    return code(quotient_low(value, step, quant_));
  }
  double high(double value, const QuantStep& step) const {
    return code(quotient_high(value, step, quant_));
  }
  /// By the middle of the factors that quotients may be made with.
  double nominal(double value, const QuantStep& step) const {
    if (step.divides) return low(value, step);
    const double quotient = value * (step.low + (step.high - step.low) / 2);
    return code(std::clamp<double>(quotient, -quant_.largest(), quant_.largest()));
  }
  const Grid& grid() const { return grid_; }
  const DynamicQuant& quant() const { return quant_; }

 private:
  double code(double quotient) const {
    const bool away = quant_.code == DType::kI8 && quant_.arithmetic.ties == IntegerTies::kAway;
    return away ? std::round(quotient) : grid_(quotient);
  }

  DynamicQuant quant_;
  Grid grid_;
};

bool all_finite(const double* values, Eigen::Index count) {
  return std::all_of(values, values + count, [](double v) { return std::isfinite(v); });
}

Steps steps_of(const Nominal& x, const Matrix& reaches, const Group& group,
               const DynamicQuant& quant) {
  double low = 0;
  double amax = 0;
  double high = 0;
  for (Eigen::Index n = group.first; n < group.first + group.count; ++n) {
    const double magnitude = std::abs(x.value.data()[n]);
    amax = std::max(amax, magnitude);
    low = std::max(low, magnitude - reaches.data()[n]);
    high = std::max(high, magnitude + reaches.data()[n]);
  }
  return {quant_step(low, quant), quant_step(amax, quant), quant_step(high, quant)};
}

Images images_of(double value, double reached, const Steps& steps, const Coder& coder) {
  const double s = steps.nominal.scale;
  const double from = value - reached;
  const double to = value + reached;
  return {coder.low(from, from < 0 ? steps.low : steps.high) * s,
          coder.nominal(value, steps.nominal) * s,
          coder.high(to, to < 0 ? steps.high : steps.low) * s};
}

/// A chunk of a group, in place.
void quantize_chunk(const Group& chunk, const Matrix& reaches, const Steps& steps,
                    const Coder& coder, Nominal& x) {
  Deviation elements[kChunk];
  Images images[kChunk];
  const double* reached = reaches.data() + chunk.first;
  for (Eigen::Index j = 0; j < chunk.count; ++j) {
    elements[j] = x.at(chunk.first + j);
    images[j] = images_of(elements[j].value, reached[j], steps, coder);
  }
  const auto n = static_cast<std::size_t>(chunk.count);
  through_step({coder.grid(), steps.nominal.scale, coder.quant().largest()}, {reached, n},
               {images, n}, {elements, n});
  for (Eigen::Index j = 0; j < chunk.count; ++j) x.set(chunk.first + j, elements[j]);
}

/// Quantises one group in place; returns the doubt in its scale. A group with NaN or infinity, or
/// without a bound, has no defined scale: nothing is promised for it.
double quantize_group(const Group& group, const Matrix& reaches, const Coder& coder, Nominal& x) {
  const double* reached = reaches.data() + group.first;
  const bool known =
      all_finite(x.value.data() + group.first, group.count) && all_finite(reached, group.count);
  if (!known) {
    constexpr Deviation kNothing{0, std::numeric_limits<double>::infinity(), 0, 0, 0};
    for (Eigen::Index j = 0; j < group.count; ++j) x.set(group.first + j, kNothing);
    return 0;
  }
  const Steps steps = steps_of(x, reaches, group, coder.quant());
  for (Eigen::Index first = 0; first < group.count; first += kChunk) {
    const Group chunk{group.first + first, std::min<Eigen::Index>(kChunk, group.count - first)};
    quantize_chunk(chunk, reaches, steps, coder, x);
  }
  return steps.doubt();
}

}  // namespace

Carried quantize_rows(const Carried& x, const DynamicQuant& quant) {
  Carried result;
  result.rigorous = quantize_rows(x.rigorous, quant);
  if (!x.nominal) return result;
  if ((x.rigorous.radius.array() == 0).all() && (result.rigorous.radius.array() == 0).all()) {
    result.nominal = Nominal::exact(result.rigorous.mid);
    return result;
  }
  const Eigen::Index cols = x.rigorous.mid.cols();
  const Eigen::Index width = std::max<Eigen::Index>(1, quant.group > 0 ? quant.group : cols);
  const Eigen::Index groups = (cols + width - 1) / width;
  const Matrix reaches = reach(*x.nominal, x.rigorous);
  const Coder coder(quant);
  result.nominal = *x.nominal;
  result.scale = {Matrix::Zero(x.rigorous.mid.rows(), groups), width};
  for (Eigen::Index row = 0; row < x.rigorous.mid.rows(); ++row) {
    for (Eigen::Index g = 0; g < groups; ++g) {
      const Group group{row * cols + g * width, std::min(width, cols - g * width)};
      result.scale.relative(row, g) = quantize_group(group, reaches, coder, *result.nominal);
    }
  }
  return result;
}

}  // namespace plumbline::bounds
