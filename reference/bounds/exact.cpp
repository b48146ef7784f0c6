#include "reference/bounds/exact.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace plumbline::bounds {
namespace {

constexpr double kExactMultiples = 0x1p24;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Largest magnitude and grain of the elements seen so far.
struct Range {
  double largest = 0;
  double grain = kInfinity;

  /// Whether sums of `k` products with elements of `other` are exact.
  bool certifies(const Range& other, double k) const {
    if (largest == 0 || other.largest == 0) return true;
    return sums_exactly(k * largest * other.largest, grain * other.grain);
  }
};

/// Whether all elements could be taken in without losing the certificate against `other`.
bool take_in(const Matrix& m, const Range& other, double k, Range& range) {
  for (Eigen::Index n = 0; n < m.size(); ++n) {
    const double value = m.data()[n];
    if (!std::isfinite(value)) return false;
    if (value == 0) continue;
    range.largest = std::max(range.largest, std::abs(value));
    range.grain = std::min(range.grain, grain_of(value));
    if (!range.certifies(other, k)) return false;
  }
  return true;
}

}  // namespace

double grain_of(double value) {
  if (value == 0) return kInfinity;
  const auto bits = std::bit_cast<std::uint64_t>(std::abs(value));
  constexpr std::uint64_t kFraction = (std::uint64_t{1} << 52) - 1;
  if ((bits & kFraction) == 0) return std::abs(value);
  return std::abs(value) - std::bit_cast<double>(bits & (bits - 1));
}

bool sums_exactly(double sum_of_magnitudes, double grain) {
  return sum_of_magnitudes <= kExactMultiples * grain;
}

bool multiplies_exactly(const Enclosure& a, const Matrix& w) {
  const auto* end = a.radius.data() + a.radius.size();
  if (std::find_if_not(a.radius.data(), end, [](double r) { return r == 0; }) != end) return false;
  const auto k = static_cast<double>(w.cols());
  Range of_a;
  Range of_w;
  // A single 1 stands for the other side while it is unknown: sides that fail against it are rare
  // and only lose the certificate.
  const Range one{1, 1};
  return take_in(a.mid, one, k, of_a) && take_in(w, of_a, k, of_w);
}

void round_to_fp32(Enclosure& a) {
  for (Eigen::Index n = 0; n < a.mid.size(); ++n) {
    const double mid = a.mid.data()[n];
    double& radius = a.radius.data()[n];
    if (radius != 0 || !fits_fp32(mid)) radius += kUnit32 * (std::abs(mid) + radius);
  }
}

}  // namespace plumbline::bounds
