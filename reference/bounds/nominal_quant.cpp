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

/// Scales that a group may get: the nominal one and the ends of its range.
struct Scales {
  float low = 1;
  float nominal = 1;
  float high = 1;

  double doubt() const {
    const double s = nominal;
    return std::max(double{high} / s - 1, 1 - double{low} / s);
  }
};

/// Codes as values: clamped to the largest, nearest even.
class Coder {
 public:
  explicit Coder(const DynamicQuant& quant) : grid_(quant.code), largest_(quant.largest()) {}

  double operator()(double value, float scale) const {
    return grid_(std::clamp(static_cast<float>(value) / scale, -largest_, largest_));
  }
  const Grid& grid() const { return grid_; }
  float largest() const { return largest_; }

 private:
  Grid grid_;
  float largest_;
};

bool all_finite(const double* values, Eigen::Index count) {
  return std::all_of(values, values + count, [](double v) { return std::isfinite(v); });
}

Scales scales_of(const Nominal& x, const Matrix& reaches, const Group& group, float largest) {
  double low = 0;
  double amax = 0;
  double high = 0;
  for (Eigen::Index n = group.first; n < group.first + group.count; ++n) {
    const double magnitude = std::abs(x.value.data()[n]);
    amax = std::max(amax, magnitude);
    low = std::max(low, magnitude - reaches.data()[n]);
    high = std::max(high, magnitude + reaches.data()[n]);
  }
  return {scale_of(low, largest), scale_of(amax, largest), scale_of(high, largest)};
}

Images images_of(double value, double reached, const Scales& scales, const Coder& coder) {
  const double s = scales.nominal;
  const double from = value - reached;
  const double to = value + reached;
  return {coder(from, from < 0 ? scales.low : scales.high) * s, coder(value, scales.nominal) * s,
          coder(to, to < 0 ? scales.high : scales.low) * s};
}

/// A chunk of a group, in place.
void quantize_chunk(const Group& chunk, const Matrix& reaches, const Scales& scales,
                    const Coder& coder, Nominal& x) {
  Deviation elements[kChunk];
  Images images[kChunk];
  const double* reached = reaches.data() + chunk.first;
  for (Eigen::Index j = 0; j < chunk.count; ++j) {
    elements[j] = x.at(chunk.first + j);
    images[j] = images_of(elements[j].value, reached[j], scales, coder);
  }
  const auto n = static_cast<std::size_t>(chunk.count);
  through_step({coder.grid(), scales.nominal, coder.largest()}, {reached, n}, {images, n},
               {elements, n});
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
  const Scales scales = scales_of(x, reaches, group, coder.largest());
  for (Eigen::Index first = 0; first < group.count; first += kChunk) {
    const Group chunk{group.first + first, std::min<Eigen::Index>(kChunk, group.count - first)};
    quantize_chunk(chunk, reaches, scales, coder, x);
  }
  return scales.doubt();
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
