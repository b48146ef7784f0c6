#pragma once
#include "reference/spec/ids.h"

/// How a scale comes from the largest magnitude (amax) of the elements that share it.
namespace plumbline::formats {

/// What a scale is made for.
struct ScaleForm {
  ScaleRule rule = ScaleRule::kAmax;
  DType scale = DType::kF32;  ///< the type that the scale is rounded to
  double largest = 448.0;     ///< the largest code, which amax is brought to
};

/// The scale of a group, a number of type `scale`. With m = max(amax, 1e-10), divisions in fp32:
///   kAmax       m / largest, then rounded to the scale's type, ties to even
///   kE8m0Floor  2^(⌊log2 amax⌋ − emax), emax = ⌊log2 largest⌋, exponents held in [−127, 127].
///               Source: OCP Microscaling Formats (MX) v1.0, section 6.3. The codes of a group
///               whose amax / scale lies beyond `largest` saturate.
///   kE8m0Ceil   the smallest power of two ≥ m / largest, held in the same range; what engines
///               call UE8M0. Nothing saturates, but for the fp32 rounding of the quotient.
///   kNvfp4      (amax / largest) / global, rounded to the scale's type and saturated, and at least
///               the smallest positive number of that type. Source: NVFP4 as NVIDIA documents it
///               (e2m1fn elements in groups of 16, e4m3fn scales, one fp32 scale a tensor).
/// A group of zeros has the scale of the smallest amax: 1e-10 / largest, 2^−127 (kE8m0Floor), the
/// smallest positive number (kNvfp4). No rule ever gives zero. An amax that is NaN, negative or
/// beyond fp32 gives NaN: such a group has no scale. So does a global scale of that kind. kNone: 1.
double scale_from_amax(const ScaleForm& form, double amax, double global = 1.0);

/// The fp32 scale of a whole tensor under kNvfp4: max(amax, 1e-10) / (largest · largest scale), so
/// that the group with the tensor's amax has the largest scale. 1 for all other rules; NaN for an
/// amax that is NaN, negative or beyond fp32.
double global_scale_from_amax(const ScaleForm& form, double amax);

}  // namespace plumbline::formats
