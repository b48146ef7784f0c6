#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "conformance/properties/generators.h"
#include "reference/formats/codec.h"

namespace plumbline::properties {
namespace {

/// Formats of one byte or less: every code can be tried.
rc::Gen<Format> any_float_format() {
  std::vector<Format> floats;
  for (const Format& format : all_formats()) {
    if (format.is_float() && format.bits <= 32) floats.push_back(format);
  }
  return rc::gen::elementOf(floats);
}

std::uint64_t any_code(const Format& format) {
  const auto bits = *rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>());
  return bits & ((std::uint64_t{1} << format.bits) - 1);
}

RC_GTEST_PROP(FormatLaws, EncodingADecodedCodeGivesTheValueBack, ()) {
  const Format format = *any_float_format();
  const double value = formats::decode(format.dtype, any_code(format));
  RC_CLASSIFY(std::isnan(value), "NaN");
  RC_CLASSIFY(std::isinf(value), "infinite");
  const double back = formats::round_to(format.dtype, value);
  RC_ASSERT(back == value || (std::isnan(back) && std::isnan(value)));
}

RC_GTEST_PROP(FormatLaws, RoundingIsMonotone, ()) {
  const Format format = *any_float_format();
  double a = formats::decode(DType::kF32, any_code(format_of(DType::kF32)));
  double b = formats::decode(DType::kF32, any_code(format_of(DType::kF32)));
  RC_PRE(!std::isnan(a) && !std::isnan(b));
  if (a > b) std::swap(a, b);
  const double low = formats::round_to(format.dtype, a, formats::Overflow::kSaturate);
  const double high = formats::round_to(format.dtype, b, formats::Overflow::kSaturate);
  RC_CLASSIFY(low == high, "one code");
  RC_ASSERT(low <= high || std::isnan(low) || std::isnan(high));
}

RC_GTEST_PROP(FormatLaws, RoundingErrsByHalfAnUlpAtMost, ()) {
  const Format format = *any_float_format();
  RC_PRE(format.specials != Specials::kScale);
  const int exponent = *rc::gen::inRange(-12, 3);
  const auto mantissa = *rc::gen::inRange<std::int64_t>(-(1 << 20), 1 << 20);
  const double value = std::ldexp(static_cast<double>(mantissa), exponent - 20);
  RC_PRE(std::abs(value) <= format.max_finite());
  const double rounded = formats::round_to(format.dtype, value);
  RC_CLASSIFY(rounded == value, "exact");
  RC_ASSERT(std::abs(rounded - value) <= formats::ulp(format.dtype, value) / 2);
}

RC_GTEST_PROP(FormatLaws, NegationCommutesWithRounding, ()) {
  const Format format = *any_float_format();
  RC_PRE(format.specials != Specials::kScale);
  const double value = formats::decode(DType::kF32, any_code(format_of(DType::kF32)));
  RC_PRE(!std::isnan(value));
  const double plus = formats::round_to(format.dtype, value);
  const double minus = formats::round_to(format.dtype, -value);
  RC_ASSERT(plus == -minus || (std::isnan(plus) && std::isnan(minus)));
}

RC_GTEST_PROP(CaseIds, ParseAfterPrintIsTheIdentity, ()) {
  const Case c = *rc::gen::oneOf(any_route_case(), any_experts_case(), any_attention_case());
  RC_CLASSIFY(c.problem.op == "moe.experts", "experts");
  RC_ASSERT(parse_case(c.id()) == c);
}

}  // namespace
}  // namespace plumbline::properties
