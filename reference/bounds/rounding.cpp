#include "reference/bounds/rounding.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "reference/formats/codec.h"

namespace plumbline::bounds {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Rounds inside the normal range on the bits of the double; everything else goes to the codec.
class Rounder {
 public:
  explicit Rounder(DType dtype)
      : dtype_(dtype),
        dropped_(52 - format_of(dtype).mantissa_bits),
        smallest_(std::ldexp(1.0, format_of(dtype).min_exponent())),
        largest_(format_of(dtype).max_finite()),
        by_bits_(format_of(dtype).is_float() && dropped_ > 0) {}

  double operator()(double value) const {
    const double magnitude = std::abs(value);
    if (!by_bits_ || !(magnitude >= smallest_ && magnitude <= largest_)) {
      return magnitude == 0 ? value : formats::round_to(dtype_, value);
    }
    auto bits = std::bit_cast<std::uint64_t>(value);
    bits += (std::uint64_t{1} << (dropped_ - 1)) - 1 + ((bits >> dropped_) & 1);
    return std::bit_cast<double>(bits >> dropped_ << dropped_);
  }

 private:
  DType dtype_;
  int dropped_;
  double smallest_;
  double largest_;  ///< what is no larger rounds to no more than the largest number
  bool by_bits_;
};

}  // namespace

Enclosure Enclosure::exact(Matrix values) {
  Matrix radius = Matrix::Zero(values.rows(), values.cols());
  return {std::move(values), std::move(radius)};
}

double gamma32(std::int64_t terms, std::int64_t groups, bool truncating) {
  const double n = static_cast<double>(terms + 2 * groups + 4) * kUnit32;
  // Beyond n·u = 1/2 the bound says nothing any more.
  return n < 0.5 ? (truncating ? 2.2 : 1.0) * n / (1 - n) : kInfinity;
}

double reference_gamma(std::int64_t terms) { return 2 * static_cast<double>(terms + 8) * kUnit64; }

void round_all(DType dtype, Matrix& values) {
  const Rounder round(dtype);
  std::transform(values.data(), values.data() + values.size(), values.data(), round);
}

void round_enclosure(DType dtype, Enclosure& enclosure) {
  const Rounder round(dtype);
  double* mid = enclosure.mid.data();
  double* radius = enclosure.radius.data();
  for (Eigen::Index n = 0; n < enclosure.mid.size(); ++n) {
    const double low = round(mid[n] - radius[n]);
    const double high = radius[n] == 0 ? low : round(mid[n] + radius[n]);
    if (low == high || std::isnan(mid[n])) {
      mid[n] = std::isnan(mid[n]) ? mid[n] : low;
      radius[n] = 0;
    } else if (std::isfinite(low) && std::isfinite(high)) {
      mid[n] = low + (high - low) / 2;
      radius[n] = (high - low) / 2;
    } else {
      mid[n] = std::isfinite(mid[n]) ? mid[n] : 0;
      radius[n] = kInfinity;
    }
  }
}

double half_ulp(DType dtype, double magnitude) {
  const Format& format = format_of(dtype);
  if (!format.is_float()) return 0;
  int exponent = format.min_exponent();
  if (magnitude > 0) {
    const double bounded = std::min(magnitude, format.max_finite());
    exponent = std::max(exponent, std::ilogb(bounded));
  }
  return std::ldexp(1.0, exponent - format.mantissa_bits - 1);
}

void add_output_rounding(DType dtype, Enclosure& enclosure) {
  for (Eigen::Index n = 0; n < enclosure.mid.size(); ++n) {
    const double value = enclosure.mid.data()[n];
    double& radius = enclosure.radius.data()[n];
    if (!std::isfinite(value)) {
      radius = 0;
    } else if (!std::isfinite(radius)) {
      radius = kInfinity;
    } else if (radius > 0 || value != 0) {
      radius += half_ulp(dtype, std::abs(value) + radius);
    }
  }
}

}  // namespace plumbline::bounds
