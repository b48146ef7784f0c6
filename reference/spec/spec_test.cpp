#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <string>

#include "reference/spec/format.h"
#include "reference/spec/ids.h"
#include "reference/spec/problem.h"
#include "reference/spec/problems.h"
#include "reference/spec/verdict.h"

namespace plumbline {
namespace {

TEST(Format, LargestFiniteValuesAreThoseOfTheDefinitions) {
  EXPECT_EQ(format_of(DType::kE4m3fn).max_finite(), 448.0);
  EXPECT_EQ(format_of(DType::kE4m3fnuz).max_finite(), 240.0);
  EXPECT_EQ(format_of(DType::kE5m2).max_finite(), 57344.0);
  EXPECT_EQ(format_of(DType::kE5m2fnuz).max_finite(), 57344.0);
  EXPECT_EQ(format_of(DType::kE2m1fn).max_finite(), 6.0);
  EXPECT_EQ(format_of(DType::kE2m3fn).max_finite(), 7.5);
  EXPECT_EQ(format_of(DType::kE3m2fn).max_finite(), 28.0);
  EXPECT_EQ(format_of(DType::kF16).max_finite(), 65504.0);
  EXPECT_EQ(format_of(DType::kI8).max_finite(), 127.0);
}

TEST(Format, UnitRoundoffIsHalfAnUlpOfOne) {
  EXPECT_EQ(format_of(DType::kBf16).unit_roundoff(), 0x1p-8);
  EXPECT_EQ(format_of(DType::kF16).unit_roundoff(), 0x1p-11);
  EXPECT_EQ(format_of(DType::kE4m3fn).unit_roundoff(), 0x1p-4);
}

TEST(Format, EveryNameReadsBack) {
  for (const Format& format : all_formats()) {
    EXPECT_EQ(dtype_from_name(format.name), format.dtype);
    if (!format.safetensors.empty()) {
      EXPECT_EQ(dtype_from_safetensors(format.safetensors), format.dtype);
    }
  }
}

/// What a row of the quant schemes says twice it says in the same way.
TEST(QuantSchemes, AgreeWithThemselves) {
  std::set<std::string_view> names;
  for (const QuantScheme& row : all_quant_schemes()) {
    SCOPED_TRACE(row.name);
    EXPECT_TRUE(names.insert(row.name).second);
    EXPECT_EQ(quant_from_name(row.name)->weight_rule, row.weight_rule);
    EXPECT_EQ(row.weight_rule == ScaleRule::kNone, row.weight_scale == Granularity::kNone);
    EXPECT_EQ(row.activation_rule == ScaleRule::kNone, row.activation_scale == Granularity::kNone);
    EXPECT_EQ(row.weight_scale == Granularity::kBlock, row.weight_block > 0);
    EXPECT_EQ(row.weight_block > 0, row.weight_block_rows > 0);
    EXPECT_EQ(row.activation_scale == Granularity::kBlock, row.activation_group > 0);
    EXPECT_EQ(row.scale_layout == Layout::kPackedInt32, row.scale == DType::kI32);
    EXPECT_EQ(row.global_scale, row.weight_rule == ScaleRule::kNvfp4);
    EXPECT_EQ(row.weight_bits == 4, row.weight == DType::kU8);
    EXPECT_EQ(row.weight == DType::kU8, row.zero_points || row.zero_point > 0);
    EXPECT_FALSE(row.zero_points && row.zero_point > 0);
  }
  EXPECT_FALSE(quant_from_name("fp8"));
}

TEST(QuantSchemes, RulesHaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const ScaleRule rule : {ScaleRule::kNone, ScaleRule::kAmax, ScaleRule::kE8m0Floor,
                               ScaleRule::kE8m0Ceil, ScaleRule::kNvfp4}) {
    names.insert(name_of(rule));
  }
  EXPECT_EQ(names.size(), 5U);
}

TEST(Verdict, EveryNameReadsBack) {
  for (const VerdictInfo& row : all_verdicts()) EXPECT_EQ(verdict_from_name(row.name), row.verdict);
}

TEST(Verdict, OneWinsOverTwoAndTwoOverZero) {
  EXPECT_EQ(worse_exit(1, 2), 1);
  EXPECT_EQ(worse_exit(2, 0), 2);
  EXPECT_EQ(worse_exit(0, 0), 0);
}

std::string bad_id_message(const std::string& id) {
  try {
    parse_case(id);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "";
}

TEST(CaseId, ABrokenIdNamesTheByteAndTheRule) {
  EXPECT_NE(bad_id_message("moe.experts"), "");
  EXPECT_NE(bad_id_message("a/b=c/t=01/data=x/seed=1").find("byte 8"), std::string::npos);
  EXPECT_NE(bad_id_message("a/b=c,b=d/t=1/data=x/seed=1").find("stands twice"), std::string::npos);
  EXPECT_NE(bad_id_message("a/b=c/t=1/data=x/seed=1 ").find("nothing may follow"),
            std::string::npos);
  EXPECT_NE(bad_id_message("a/b=c/t=1/data=x/seed=99999999999999999999").find("out of range"),
            std::string::npos);
}

rc::Gen<std::string> word() {
  return rc::gen::nonEmpty(
      rc::gen::container<std::string>(rc::gen::elementOf(std::string("abcz09_.:+-"))));
}

RC_GTEST_PROP(CaseId, ParseAfterPrintIsTheIdentity, ()) {
  Case c;
  c.problem.op = *word();
  const auto axes = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(word()));
  for (const std::string& name : axes) c.problem.set_axis(name, *word());
  const auto dims = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(word()));
  for (const std::string& name : dims) {
    c.problem.set_dim(name, *rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 40));
  }
  c.data = *word();
  c.seed = *rc::gen::arbitrary<std::uint64_t>();
  RC_CLASSIFY(axes.size() > 1, "several axes");
  RC_ASSERT(parse_case(c.id()) == c);
}

RC_GTEST_PROP(Problems, AnExpertsProblemReadsBackFromItsText, ()) {
  ExpertsProblem p;
  p.quant = *rc::gen::element<std::string>("bf16", "fp8_block128");
  p.activation = *rc::gen::element(Activation{}, Activation{Activation::Kind::kRelu2, 1, 0, 0},
                                   Activation{Activation::Kind::kSwiglu, 1.702, 1.0, 7.0},
                                   Activation{Activation::Kind::kSwiglu, 1.0, 0.0, 0.0});
  p.has_bias = *rc::gen::arbitrary<bool>();
  p.scale = *rc::gen::element(1.0, 2.5, 2.446);
  p.t = *rc::gen::inRange(0, 100);
  const Problem printed = p.to_problem();
  const auto read = ExpertsProblem::from(printed);
  RC_ASSERT(static_cast<bool>(read));
  RC_ASSERT(read->to_problem() == printed);
}

TEST(Problems, AnUnknownAxisIsRefusedByName) {
  Problem p = AttentionProblem{}.to_problem();
  p.set_axis("windwo", "4");
  const auto read = AttentionProblem::from(p);
  ASSERT_FALSE(read);
  EXPECT_NE(read.refusal().text().find("windwo"), std::string::npos);
}

TEST(Problems, HeadsThatDoNotDivideAreRefusedWithTheShapeClass) {
  AttentionProblem p;
  p.hq = 6;
  p.hkv = 4;
  const auto read = AttentionProblem::from(p.to_problem());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.refusal().status, Status::kShape);
  EXPECT_EQ(read.refusal().rule, "hq % hkv == 0");
}

}  // namespace
}  // namespace plumbline
