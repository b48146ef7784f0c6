#include "reference/formats/quantize.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "reference/formats/codec.h"
#include "reference/spec/status.h"

namespace plumbline::formats {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kRows = 3;
constexpr std::int64_t kCols = 256;

/// One side of a scheme: what every law is tried on.
struct Side {
  std::string name;
  QuantForm form;
};

/// Both sides of every scheme.
std::vector<Side> all_sides() {
  std::vector<Side> sides;
  for (const QuantScheme& scheme : all_quant_schemes()) {
    sides.push_back({std::string(scheme.name) + " weights", weight_form(scheme)});
    sides.push_back({std::string(scheme.name) + " activations", activation_form(scheme)});
  }
  return sides;
}

std::vector<Side> scaled_sides() {
  std::vector<Side> sides = all_sides();
  std::erase_if(sides, [](const Side& side) { return !side.form.scaled(); });
  return sides;
}

std::vector<double> roundtrip(const std::vector<double>& values, const QuantForm& form) {
  const auto rows = std::ssize(values) / kCols;
  return dequantize(quantize({values, rows, kCols}, form), form);
}

std::size_t block_of(const BlockShape& blocks, std::int64_t row, std::int64_t col) {
  return static_cast<std::size_t>(row / blocks.block_rows * blocks.scale_cols() +
                                  col / blocks.block_cols);
}

/// Codes of value within ±largest, counted from the zero point.
std::vector<double> code_values(const QuantForm& form) {
  std::vector<double> values;
  const int bits = form.bits;
  for (std::uint64_t code = 0; code < std::uint64_t{1} << bits; ++code) {
    const double value = decode(form.code, code) - form.zero_point;
    if (std::abs(value) <= form.largest()) values.push_back(value);
  }
  return values;
}

/// Numbers of many binades, some zero, so that scales and codes differ.
std::vector<double> any_values(std::int64_t count) {
  const auto mantissas = *rc::gen::container<std::vector<int>>(static_cast<std::size_t>(count),
                                                               rc::gen::inRange(-4096, 4097));
  const int spread = *rc::gen::inRange(0, 12);
  std::vector<double> values;
  values.reserve(mantissas.size());
  for (const int m : mantissas) values.push_back(std::ldexp(m, -12 - std::abs(m) % (spread + 1)));
  return values;
}

Side any_scaled_side() { return *rc::gen::elementOf(scaled_sides()); }

/// Every code of a form in every group, after the extreme ones, which fix the scale.
std::vector<double> every_code(const QuantForm& form, double scale) {
  const std::vector<double> codes = code_values(form);
  const double zero = form.zero_points ? 5.0 : 0.0;
  std::vector<double> values;
  const BlockShape blocks = form.blocks(kRows, kCols);
  std::size_t next = 0;
  for (std::int64_t n = 0; n < kRows * kCols; ++n) {
    const std::int64_t place = n % kCols % blocks.block_cols;
    const double code = place == 0   ? form.largest()
                        : place == 1 ? 0.0
                                     : codes[next++ % codes.size()];
    values.push_back((code - zero) * scale);
  }
  return values;
}

TEST(Schemes, GiveEveryCodeBack) {
  for (const Side& side : scaled_sides()) {
    const std::vector<double> values = every_code(side.form, 0.25);
    const Quantized once = quantize({values, kRows, kCols}, side.form);
    const std::vector<double> back = dequantize(once, side.form);
    if (!side.form.global_scale) {
      EXPECT_EQ(back, values) << side.name;
    }
    const Quantized twice = quantize({back, kRows, kCols}, side.form);
    EXPECT_EQ(twice.codes, once.codes) << side.name;
    EXPECT_EQ(twice.scales, once.scales) << side.name;
    EXPECT_EQ(twice.zeros, once.zeros) << side.name;
  }
}

TEST(Schemes, WithoutScalesRoundEachValueOnce) {
  const std::vector<double> values = {1.00390625, -3.0, kNan, kInf};
  for (const Side& side : all_sides()) {
    if (side.form.scaled()) continue;
    const std::vector<double> back = dequantize(quantize({values, 2, 2}, side.form), side.form);
    EXPECT_EQ(back[0], round_to(side.form.code, values[0])) << side.name;
    EXPECT_EQ(back[1], -3.0) << side.name;
    EXPECT_TRUE(std::isnan(back[2]) && back[3] == kInf) << side.name;
  }
}

TEST(Schemes, GroupsOfZerosStayZeroAndHaveAPositiveScale) {
  for (const Side& side : scaled_sides()) {
    const Quantized q =
        quantize({std::vector<double>(kRows * kCols, 0.0), kRows, kCols}, side.form);
    for (const double scale : decode(q.scales)) EXPECT_GT(scale, 0.0) << side.name;
    for (const double value : dequantize(q, side.form)) EXPECT_EQ(value, 0.0) << side.name;
  }
}

/// Whether a bad last element makes NaN of its group and of nothing else.
bool spoils_its_group(double bad, const QuantForm& form) {
  std::vector<double> values(kRows * kCols, 1.0);
  values.back() = bad;
  const std::vector<double> back = roundtrip(values, form);
  const BlockShape blocks = form.blocks(kRows, kCols);
  const std::size_t spoilt = block_of(blocks, kRows - 1, kCols - 1);
  for (std::int64_t n = 0; n < kRows * kCols; ++n) {
    const bool inside = form.global_scale || block_of(blocks, n / kCols, n % kCols) == spoilt;
    if (std::isnan(back[static_cast<std::size_t>(n)]) != inside) return false;
  }
  return true;
}

TEST(Schemes, AValueThatIsNoneSpoilsItsGroupAndNothingElse) {
  for (const Side& side : scaled_sides()) {
    for (const double bad : {kNan, kInf, -kInf, 1e39}) {
      EXPECT_TRUE(spoils_its_group(bad, side.form)) << side.name << " " << bad;
    }
  }
}

TEST(Schemes, SaturateWhereTheMxRuleLeavesNoRoom) {
  const QuantForm form = weight_form(*quant_from_name("mxfp4"));
  std::vector<double> values(32, 0.0);
  values[0] = 7.9;
  values[1] = -7.9;
  values[2] = 5.0;
  const std::vector<double> back = dequantize(quantize({values, 1, 32}, form), form);
  EXPECT_EQ(back[0], 6.0);
  EXPECT_EQ(back[1], -6.0);
  EXPECT_EQ(back[2], 4.0) << "a tie goes to the even code";
}

TEST(Schemes, UseTheNumbersOfTheirDefinitions) {
  const auto largest = [](std::string_view name) {
    return weight_form(*quant_from_name(name)).largest();
  };
  EXPECT_EQ(largest("e4m3fnuz"), 240.0);
  EXPECT_EQ(largest("mxfp8"), 448.0);
  EXPECT_EQ(largest("nvfp4"), 6.0);
  EXPECT_EQ(largest("w8a8_int8"), 127.0);
  EXPECT_EQ(largest("w4a16"), 15.0);
  EXPECT_EQ(largest("w4a16_sym"), 7.0);
}

TEST(Schemes, PutZeroPointsWhereZeroIsRepresented) {
  const QuantForm form = weight_form(*quant_from_name("w4a16"));
  std::vector<double> values(128, 0.0);
  values[0] = 10.0;
  values[1] = -5.0;
  const Quantized q = quantize({values, 1, 128}, form);
  EXPECT_EQ(decode(q.scales)[0], 1.0);
  EXPECT_EQ(decode(*q.zeros)[0], 5.0);
  EXPECT_EQ(decode(q.codes)[0], 15.0);
  EXPECT_EQ(decode(q.codes)[1], 0.0);
  EXPECT_EQ(dequantize(q, form), values);
}

TEST(Schemes, RefuseGroupsThatDoNotDivide) {
  const std::vector<double> values(100, 1.0);
  EXPECT_THROW(quantize({values, 1, 100}, weight_form(*quant_from_name("mxfp4"))),
               ContractViolation);
  EXPECT_THROW(quantize({values, 1, 99}, weight_form(*quant_from_name("fp8_block128"))),
               ContractViolation);
  EXPECT_NO_THROW(quantize({values, 1, 100}, weight_form(*quant_from_name("fp8_block128"))));
  EXPECT_NO_THROW(quantize({values, 1, 100}, activation_form(*quant_from_name("fp8_block128"))));
}

/// The quotient that a code is to be nearest to.
double quotient(double value, double scale, double global) {
  const float step = static_cast<float>(scale) * static_cast<float>(global);
  return static_cast<float>(value) / step;
}

RC_GTEST_PROP(SchemeLaws, NoOtherCodeIsNearer, ()) {
  const Side side = any_scaled_side();
  RC_PRE(!side.form.zero_points);
  const std::vector<double> values = any_values(kCols);
  const Quantized q = quantize({values, 1, kCols}, side.form);
  const std::vector<double> codes = decode(q.codes), scales = decode(q.scales);
  const std::vector<double> all = code_values(side.form);
  const BlockShape blocks = side.form.blocks(1, kCols);
  for (std::size_t n = 0; n < codes.size(); ++n) {
    const double scale = scales[block_of(blocks, 0, static_cast<std::int64_t>(n))];
    const double wanted = quotient(values[n], scale, q.global);
    const double got = codes[n] - side.form.zero_point;
    for (const double other : all) RC_ASSERT(std::abs(got - wanted) <= std::abs(other - wanted));
  }
}

RC_GTEST_PROP(SchemeLaws, KeepTheOrderInsideAGroup, ()) {
  const Side side = any_scaled_side();
  const std::vector<double> values = any_values(kCols);
  const std::vector<double> back = roundtrip(values, side.form);
  const std::int64_t width = side.form.blocks(1, kCols).block_cols;
  for (std::size_t n = 1; n < values.size(); ++n) {
    if (static_cast<std::int64_t>(n) % width == 0) continue;
    if (values[n - 1] <= values[n]) RC_ASSERT(back[n - 1] <= back[n]);
    if (values[n - 1] >= values[n]) RC_ASSERT(back[n - 1] >= back[n]);
  }
}

RC_GTEST_PROP(SchemeLaws, NegationPassesThroughWithoutZeroPoints, ()) {
  const Side side = any_scaled_side();
  RC_PRE(!side.form.zero_points);
  std::vector<double> values = any_values(kCols);
  const std::vector<double> back = roundtrip(values, side.form);
  for (double& value : values) value = -value;
  const std::vector<double> negated = roundtrip(values, side.form);
  for (std::size_t n = 0; n < back.size(); ++n) RC_ASSERT(negated[n] == -back[n]);
}

RC_GTEST_PROP(SchemeLaws, PowersOfTwoPassThrough, ()) {
  const Side side = any_scaled_side();
  std::vector<double> values = any_values(kCols);
  values[0] = 1.0;  // No group has an amax near the floor of the rules.
  for (std::size_t n = 0; n < values.size(); n += 16) values[n] = 1.0;
  const std::vector<double> back = roundtrip(values, side.form);
  const double factor = std::ldexp(1.0, *rc::gen::inRange(-8, 9));
  for (double& value : values) value *= factor;
  const std::vector<double> scaled = roundtrip(values, side.form);
  for (std::size_t n = 0; n < back.size(); ++n) RC_ASSERT(scaled[n] == back[n] * factor);
}

RC_GTEST_PROP(SchemeLaws, GroupsDoNotKnowOfEachOther, ()) {
  const Side side = any_scaled_side();
  RC_PRE(!side.form.global_scale);
  const std::vector<double> values = any_values(2 * kCols);
  std::vector<double> other = values;
  const BlockShape blocks = side.form.blocks(2, kCols);
  for (std::int64_t n = 0; n < 2 * kCols; ++n) {
    if (block_of(blocks, n / kCols, n % kCols) != 0) other[static_cast<std::size_t>(n)] *= 3.0;
  }
  const std::vector<double> a = roundtrip(values, side.form), b = roundtrip(other, side.form);
  for (std::int64_t n = 0; n < 2 * kCols; ++n) {
    if (block_of(blocks, n / kCols, n % kCols) != 0) continue;
    RC_ASSERT(a[static_cast<std::size_t>(n)] == b[static_cast<std::size_t>(n)]);
  }
}

}  // namespace
}  // namespace plumbline::formats
