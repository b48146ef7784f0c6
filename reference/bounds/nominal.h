#pragma once
#include <cstdint>
#include <limits>
#include <span>

#include "reference/bounds/expected.h"
#include "reference/bounds/rounder.h"
#include "reference/bounds/rounding.h"

/// The calibrated track of a computation (lane S), beside the rigorous one of enclosures (lane W).
/// A device's value is nominal value + systematic part + random part. The random part is a sum of
/// many rounding errors, modelled as independent in the mean with mean zero (Higham and Mary 2019),
/// so that it is sub-Gaussian: it exceeds λ·√proxy with a chance of 2·exp(−λ²/2).
/// Source: error_bounds section 2.
namespace plumbline::bounds {

/// One element of the track.
struct Deviation {
  double value = 0;     ///< nominal: every declared rounding taken to nearest
  double fixed = 0;     ///< the systematic part is at most this
  double proxy = 0;     ///< sub-Gaussian variance proxy of the random part
  double variance = 0;  ///< its variance, from above: the chance that a later rounding flips
  double expected = 0;  ///< its variance as expected; only the RMS lane uses it
};

/// A matrix of them.
struct Nominal {
  Matrix value;
  Matrix fixed;
  Matrix proxy;
  Matrix variance;
  Matrix expected;

  static Nominal exact(Matrix values);
  Deviation at(Eigen::Index n) const;
  void set(Eigen::Index n, const Deviation& to);
  /// Column ranges, for the halves of a gated activation.
  Nominal columns(Eigen::Index first, Eigen::Index count) const;
};

/// fixed + λ·√proxy, and never beyond what the rigorous track leaves: |value − mid| + radius.
double reach(const Deviation& d, double mid, double radius);
Matrix reach(const Nominal& nominal, const Enclosure& rigorous);

/// Where a monotone step function (a rounding, a quantisation) takes a value: its own image and the
/// images of the ends of its reach.
struct Images {
  double low;
  double value;
  double high;
};

/// Some elements in front of a step function whose steps lie on a grid: a rounding (scale 1), or
/// the quantisation of a group with one scale, whose codes lie on the grid and stay within ±
/// largest.
struct Step {
  Grid grid;
  double scale = 1;
  double largest = std::numeric_limits<double>::infinity();
};

/// `elements` (at most kChunk, each with its reach and images) after a step function. Equal ends
/// erase the deviation. Otherwise a device may land on another step: jump d = the farther end. The
/// chance p of it is taken from the mean square of step(x + σz) − step(x) over 13 points z of a
/// normal distribution; a step taken with chance p has the variance proxy d²·K(p),
/// K(p) = (1 − 2p)/(2·ln((1 − p)/p)) (Kearns and Saul 1998), and a noise that is broad against the
/// step adds the step's own rounding, (√proxy + spacing/√6)²; the smaller one counts.
inline constexpr int kChunk = 64;
void through_step(const Step& step, std::span<const double> reaches, std::span<const Images> images,
                  std::span<Deviation> elements);

/// A declared rounding to `dtype`, element by element; `rigorous` is the enclosure before it.
void round_nominal(DType dtype, const Enclosure& rigorous, Nominal& nominal);

/// One fp32 rounding of every element: fixed += u·|value|, and nothing where `after`, the enclosure
/// after the same operation, is exact.
void round_to_fp32(const Enclosure& after, Nominal& nominal);

/// min(·, high), max(·, low): a value that is beyond the limit by more than its reach is exact.
void clamp(double low, double high, const Enclosure& before, Nominal& nominal);

/// Whether two factors were made of the same rounding errors: then |a|·δb and |b|·δa add up,
/// otherwise their squares do.
enum class Factors : std::uint8_t { kIndependent, kRelated };

/// A factor and its reach.
struct Factor {
  const Nominal& nominal;
  const Matrix& reach;
};

/// Element by element a·b, without the rounding of the product.
Nominal multiply(const Factor& a, const Factor& b, Factors factors);

/// Rows times factors: values and fixed parts linearly, the rest squared.
void scale_rows(const Eigen::VectorXd& factors, Nominal& nominal);

/// What lane S expects of an output: `rigorous` already holds the last rounding to `dtype`, which
/// is added here to the fixed part (half an ulp at |value| + reach) and to the variance (a third of
/// its square). Where the rigorous radius is 0 or the value not finite, so is it here; a radius
/// that is no number becomes infinite.
Calibrated calibrated_output(DType dtype, const Nominal& nominal, const Enclosure& rigorous);

}  // namespace plumbline::bounds
