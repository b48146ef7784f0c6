#pragma once
#include "conformance/inputs/distribution.h"

/// One function a distribution; each stands in the file of its name. They return values of variance
/// about 1 (exact_integers: integers).
namespace plumbline::inputs {

/// Sum of twelve uniform 16-bit numbers, centred: variance 1 (Irwin–Hall), within ±6, never zero
/// mean by more than 2⁻¹⁷. Three words an element.
Dyadic gaussian(const Stream& stream, const Position& at);

/// A gaussian times 2^j, j = 0 to 8 with probability 2^−(j+1): P(|x| > s) falls like 1/s.
Dyadic heavy_tailed(const Stream& stream, const Position& at);

/// A gaussian, in activations with one column of 32 (at least one) 64 times as large.
Dyadic outlier_channels(const Stream& stream, const Position& at);

/// Neighbouring columns (2j, 2j + 1) of a product cancel: weights repeat the value, activations
/// negate it and take 1/8 of its size off, so that the sum is 1/8 of its terms.
Dyadic cancelling(const Stream& stream, const Position& at);

/// Rising along the last dimension from −2 to 2 (falling in odd rows), with a jitter below one
/// step.
Dyadic sorted(const Stream& stream, const Position& at);

/// Integers −2 to 2 (2 and −2 with probability 1/16 each, 0 with 3/8), never scaled: sums of
/// products are exact. Unquantised silu layers also get gates so wide that silu(g) = g.
Dyadic exact_integers(const Stream& stream, const Position& at);

}  // namespace plumbline::inputs
