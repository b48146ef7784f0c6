#include "conformance/inputs/shapes.h"

namespace plumbline::inputs {

Dyadic cancelling(const Stream& stream, const Position& at) {
  Position even = at;
  even.column -= at.column % 2;
  const Dyadic base = gaussian(stream, even);
  if (at.column == even.column || at.side == Side::kWeight) return base;
  return {base.m / 8 - base.m, base.exponent};
}

}  // namespace plumbline::inputs
