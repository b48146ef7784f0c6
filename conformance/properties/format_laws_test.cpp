#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "conformance/properties/generators.h"
#include "reference/formats/codec.h"
#include "reference/formats/layout.h"

namespace plumbline::properties {
namespace {

bool codes_fit_a_word(const Format& format) { return format.bits <= 32; }

/// Every format whose codes can be drawn at random and whose neighbours a double tells apart.
rc::Gen<Format> any_format() {
  std::vector<Format> formats(all_formats().begin(), all_formats().end());
  std::erase_if(formats, [](const Format& format) { return !codes_fit_a_word(format); });
  return rc::gen::elementOf(formats);
}

rc::Gen<Format> any_float_format() {
  std::vector<Format> formats(all_formats().begin(), all_formats().end());
  std::erase_if(formats, [](const Format& format) {
    return !format.is_float() || !codes_fit_a_word(format);
  });
  return rc::gen::elementOf(formats);
}

std::uint64_t any_code(const Format& format) {
  const auto bits = *rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>());
  return bits & ((std::uint64_t{1} << format.bits) - 1);
}

RC_GTEST_PROP(FormatLaws, EncodingADecodedCodeGivesTheValueBack, ()) {
  const Format format = *any_format();
  const double value = formats::decode(format.dtype, any_code(format));
  RC_CLASSIFY(std::isnan(value), "NaN");
  RC_CLASSIFY(std::isinf(value), "infinite");
  const double back = formats::round_to(format.dtype, value);
  RC_ASSERT(back == value || (std::isnan(back) && std::isnan(value)));
}

RC_GTEST_PROP(FormatLaws, RoundingIsMonotone, ()) {
  const Format format = *any_format();
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

/// Halfway between neighbours the even code wins; scales, which have no mantissa, go up.
RC_GTEST_PROP(FormatLaws, TiesGoToTheEvenCode, ()) {
  const Format format = *any_format();
  const std::uint64_t code = any_code(format);
  const double low = formats::decode(format.dtype, code);
  const double high = formats::decode(format.dtype, code + 1);
  const bool last = code + 1 == std::uint64_t{1} << format.bits;
  const bool neighbours = !last && std::isfinite(low) && std::isfinite(high) &&
                          std::signbit(low) == std::signbit(high) && low != high;
  RC_PRE(neighbours && format.dtype != DType::kBool);
  const bool up = format.specials == Specials::kScale || code % 2 != 0;
  const std::uint64_t tie = formats::encode(format.dtype, low + (high - low) / 2);
  RC_CLASSIFY(up, "to the next code");
  RC_ASSERT(formats::decode(format.dtype, tie) == (up ? high : low));
}

RC_GTEST_PROP(FormatLaws, SaturationEndsAtTheLargestValue, ()) {
  const Format format = *any_format();
  RC_PRE(format.dtype != DType::kBool);
  const double beyond = format.max_finite() * *rc::gen::element(1.0, 2.0, 1e30, HUGE_VAL);
  const auto saturated = [&](double value) {
    return formats::round_to(format.dtype, value, formats::Overflow::kSaturate);
  };
  RC_ASSERT(saturated(beyond) == format.max_finite());
  RC_PRE(format.is_float() && format.specials != Specials::kScale);
  RC_ASSERT(saturated(-beyond) == -format.max_finite());
}

/// NaN stays NaN where the format has one and is zero elsewhere, in both modes.
RC_GTEST_PROP(FormatLaws, NanIsNanOrZero, ()) {
  const Format format = *any_format();
  const auto mode = *rc::gen::element(formats::Overflow::kFormat, formats::Overflow::kSaturate);
  const double back = formats::round_to(format.dtype, std::nan(""), mode);
  const bool has_nan = format.is_float() && format.specials != Specials::kFinite;
  RC_CLASSIFY(has_nan, "has NaN");
  RC_ASSERT((has_nan ? std::isnan(back) : back == 0.0));
}

/// Codes of one format in a random layout that takes them: the values are those they were.
RC_GTEST_PROP(FormatLaws, NoLayoutChangesAValue, ()) {
  const Format format = *any_format();
  const auto layouts = formats::all_layouts();
  const formats::LayoutRule rule = layouts[*rc::gen::inRange<std::size_t>(0, layouts.size())];
  TensorSpec spec{format.dtype, {*rc::gen::inRange(1, 140), *rc::gen::inRange(1, 7)}};
  RC_PRE(static_cast<bool>(formats::laid_out(spec, rule.layout)));
  Tensor tensor = Tensor::zeros(spec);
  for (std::byte& b : tensor.data) b = static_cast<std::byte>(*rc::gen::inRange(0, 256));
  const Tensor back = formats::from_layout(formats::to_layout(tensor, rule.layout), spec);
  RC_ASSERT(back == tensor);
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
