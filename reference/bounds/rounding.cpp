#include "reference/bounds/rounding.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "reference/bounds/rounder.h"
#include "reference/formats/codec.h"

namespace plumbline::bounds {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Elements that are handled together: either all on their bits, in a loop that vectorises, or
/// none.
constexpr Eigen::Index kChunk = 64;

bool all_simple(const Rounder& round, const double* mid, const double* radius, Eigen::Index n) {
  bool simple = true;
  for (Eigen::Index j = 0; j < n; ++j) {
    simple &= round.simple(mid[j] - radius[j]);
    simple &= round.simple(mid[j] + radius[j]);
  }
  return simple;
}

/// One element of a declared rounding, whatever it holds.
void round_one(const Rounder& round, double& mid, double& radius) {
  const double low = round(mid - radius);
  const double high = round(mid + radius);
  if (std::isnan(mid)) {
    radius = 0;
  } else if (low == high) {
    mid = low;
    radius = 0;
  } else if (std::isfinite(low) && std::isfinite(high)) {
    mid = low + (high - low) / 2;
    radius = (high - low) / 2;
  } else {
    mid = std::isfinite(mid) ? mid : 0;
    radius = kInfinity;
  }
}

/// The last rounding of an element that may reach past the largest number of the format. Where both
/// ends overflow alike, that is what is expected; where one does, either is right and no number
/// bounds the other.
void round_beyond(DType dtype, double& mid, double& radius) {
  const double low = formats::round_to(dtype, mid - radius);
  const double high = formats::round_to(dtype, mid + radius);
  if (std::isfinite(low) && std::isfinite(high)) {
    radius += half_ulp(dtype, std::abs(mid) + radius);
  } else if (low == high || (std::isnan(low) && std::isnan(high))) {
    mid = low;
    radius = 0;
  } else {
    radius = kInfinity;
  }
}

/// The power of two at or below a normal double.
double binade_of(double magnitude) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) & 0x7FF0000000000000U);
}

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

void add_underflow(std::int64_t terms, Matrix& radius) {
  const double floor = static_cast<double>(terms) * 0x1p-126;
  radius = (radius.array() > 0).select(radius.array() + floor, radius.array());
}

void round_all(DType dtype, Matrix& values) {
  const Rounder round(dtype);
  std::transform(values.data(), values.data() + values.size(), values.data(), round);
}

void round_enclosure(DType dtype, Enclosure& enclosure) {
  const Rounder round(dtype);
  for (Eigen::Index first = 0; first < enclosure.mid.size(); first += kChunk) {
    const Eigen::Index n = std::min(kChunk, enclosure.mid.size() - first);
    double* mid = enclosure.mid.data() + first;
    double* radius = enclosure.radius.data() + first;
    const bool fast = round.by_bits() && all_simple(round, mid, radius, n);
    for (Eigen::Index j = 0; j < n && !fast; ++j) round_one(round, mid[j], radius[j]);
    for (Eigen::Index j = 0; j < n && fast; ++j) {
      const double low = round.on_bits(mid[j] - radius[j]);
      const double high = round.on_bits(mid[j] + radius[j]);
      radius[j] = (high - low) / 2;
      mid[j] = low + radius[j];
    }
  }
}

double half_ulp(DType dtype, double magnitude) {
  const Format& format = format_of(dtype);
  if (!format.is_float()) return 0;
  const double smallest = std::ldexp(1.0, format.min_exponent());
  const double bounded = std::clamp(magnitude, smallest, format.max_finite());
  return binade_of(bounded) * format.unit_roundoff();
}

void add_output_rounding(DType dtype, Enclosure& enclosure) {
  const Format& format = format_of(dtype);
  const double unit = format.is_float() ? format.unit_roundoff() : 0;
  const double smallest = std::ldexp(1.0, format.min_exponent());
  const double largest = format.max_finite();
  for (Eigen::Index n = 0; n < enclosure.mid.size(); ++n) {
    const double value = enclosure.mid.data()[n];
    double& radius = enclosure.radius.data()[n];
    if (!std::isfinite(value)) {
      radius = 0;
    } else if (!std::isfinite(radius)) {
      radius = kInfinity;
    } else if (radius == 0) {
      enclosure.mid.data()[n] = formats::round_to(dtype, value);
    } else if (std::abs(value) + radius < smallest * unit) {
      // Below half the smallest subnormal number everything rounds, or is flushed, to zero.
      enclosure.mid.data()[n] = 0;
      radius = 0;
    } else if (!(std::abs(value) + radius <= largest)) {
      round_beyond(dtype, enclosure.mid.data()[n], radius);
    } else {
      radius += binade_of(std::clamp(std::abs(value) + radius, smallest, largest)) * unit;
    }
  }
}

}  // namespace plumbline::bounds
