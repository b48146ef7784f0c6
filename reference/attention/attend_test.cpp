#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "reference/attention/attention.h"
#include "reference/spec/status.h"

namespace plumbline::attention {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Matrix matrix(std::int64_t rows, std::int64_t cols, const std::vector<double>& values) {
  return ops::to_matrix(values, rows, cols);
}

/// A head of sq queries and sk keys whose logits are all 0 and whose values are 1, 2, 4, …
HeadInputs uniform(std::int64_t sq, std::int64_t sk) {
  HeadInputs in;
  in.q = Matrix::Zero(sq, 2);
  in.k = Matrix::Ones(sk, 2);
  in.v = Matrix(sk, 1);
  for (std::int64_t j = 0; j < sk; ++j) in.v(j, 0) = std::ldexp(1.0, static_cast<int>(j));
  return in;
}

TEST(Visible, CausalIsAlignedBottomRightUnlessToldOtherwise) {
  HeadInputs in = uniform(2, 5);
  EXPECT_EQ(in.visible(0), std::make_pair(std::int64_t{0}, std::int64_t{5}));
  in.mask = Mask::kCausal;
  EXPECT_EQ(in.visible(0).second, 4);
  EXPECT_EQ(in.visible(1).second, 5);
  in.top_left = true;
  EXPECT_EQ(in.visible(0).second, 1);
  EXPECT_EQ(in.visible(1).second, 2);
}

TEST(Visible, AWindowHoldsTheRowsOwnPositionAndThoseBefore) {
  HeadInputs in = uniform(5, 5);
  in.mask = Mask::kSliding;
  in.w = 2;
  EXPECT_EQ(in.visible(0), std::make_pair(std::int64_t{0}, std::int64_t{1}));
  EXPECT_EQ(in.visible(4), std::make_pair(std::int64_t{3}, std::int64_t{5}));
}

TEST(Visible, RowsBeforeTheFirstKeySeeNothing) {
  HeadInputs in = uniform(5, 2);
  in.mask = Mask::kCausal;
  for (const std::int64_t row : {0, 1, 2}) EXPECT_EQ(in.visible(row).first, in.visible(row).second);
  EXPECT_EQ(in.visible(3), std::make_pair(std::int64_t{0}, std::int64_t{1}));
  in.mask = Mask::kSliding;
  in.w = 1;
  EXPECT_EQ(in.visible(4), std::make_pair(std::int64_t{1}, std::int64_t{2}));
  in.top_left = true;
  EXPECT_EQ(in.visible(4), std::make_pair(std::int64_t{2}, std::int64_t{2}));
}

TEST(Attend, OfEqualLogitsIsTheMeanOfTheVisibleValues) {
  HeadInputs in = uniform(4, 4);
  in.mask = Mask::kCausal;
  const HeadOutputs got = attend(in);
  EXPECT_EQ(got.out, matrix(4, 1, {1.0, 1.5, got.out(2, 0), 3.75}));
  EXPECT_DOUBLE_EQ(got.out(2, 0), 7.0 / 3.0);
  EXPECT_EQ(got.lse[0], 0.0);
  EXPECT_EQ(got.lse[3], std::log(4.0));
}

TEST(Attend, ScalesThenCapsTheLogits) {
  HeadInputs in;
  in.q = matrix(1, 2, {3, 4});
  in.k = matrix(2, 2, {1, 1, -1, 0});
  in.v = matrix(2, 1, {1, 0});
  in.scale = 0.5;
  EXPECT_EQ(visible_logits(in, 0), (std::vector<double>{3.5, -1.5}));
  in.softcap = 2.0;
  EXPECT_EQ(visible_logits(in, 0),
            (std::vector<double>{2.0 * std::tanh(1.75), 2.0 * std::tanh(-0.75)}));
}

TEST(Attend, ASinkTakesWeightAndGivesNoValue) {
  HeadInputs in = uniform(1, 3);
  in.sink = 0.0;
  const HeadOutputs got = attend(in);
  EXPECT_EQ(got.out(0, 0), 7.0 / 4.0);
  EXPECT_EQ(got.lse[0], std::log(4.0));
}

TEST(Attend, AnEmptyRowIsZeroAndItsLseIsMinusInfinityOrTheSink) {
  HeadInputs in = uniform(3, 1);
  in.mask = Mask::kCausal;
  EXPECT_EQ(attend(in).out, matrix(3, 1, {0, 0, 1}));
  EXPECT_EQ(attend(in).lse, (std::vector<double>{-kInf, -kInf, 0.0}));
  in.sink = 1.25;
  EXPECT_EQ(attend(in).out(0, 0), 0.0);
  EXPECT_EQ(attend(in).lse[0], 1.25);
  EXPECT_EQ(attend(uniform(2, 0)).out, matrix(2, 1, {0, 0}));
}

TEST(Attend, NothingInvisibleMatters) {
  HeadInputs in = uniform(2, 4);
  in.mask = Mask::kSliding;
  in.w = 2;
  const HeadOutputs clean = attend(in);
  in.k.row(0).setConstant(kNan);
  in.v(0, 0) = kInf;
  EXPECT_EQ(attend(in).out, clean.out);
  EXPECT_EQ(attend(in).lse, clean.lse);
  in.v(1, 0) = kNan;
  EXPECT_TRUE(std::isnan(attend(in).out(0, 0)));
  EXPECT_EQ(attend(in).out(1, 0), clean.out(1, 0));
}

TEST(Attend, RefusesShapesThatDoNotFit) {
  HeadInputs in = uniform(2, 4);
  in.v = Matrix::Zero(3, 1);
  EXPECT_THROW(attend(in), ContractViolation);
  in = uniform(2, 4);
  in.q = Matrix::Zero(2, 3);
  EXPECT_THROW(attend(in), ContractViolation);
}

/// A head of small integers, so that products are exact, of any mask.
rc::Gen<HeadInputs> any_head() {
  return rc::gen::exec([] {
    const std::int64_t sq = *rc::gen::inRange(1, 7);
    const std::int64_t sk = *rc::gen::inRange(1, 9);
    const auto integers = [](std::int64_t rows, std::int64_t cols) {
      const auto values = *rc::gen::container<std::vector<int>>(
          static_cast<std::size_t>(rows * cols), rc::gen::inRange(-4, 5));
      return ops::to_matrix(std::vector<double>(values.begin(), values.end()), rows, cols);
    };
    HeadInputs in;
    in.q = integers(sq, 3);
    in.k = integers(sk, 3);
    in.v = integers(sk, 2);
    in.scale = 0.25;
    in.softcap = *rc::gen::element(0.0, 5.0);
    if (*rc::gen::arbitrary<bool>()) in.sink = *rc::gen::inRange(-3, 4);
    in.mask = *rc::gen::element(Mask::kFull, Mask::kCausal, Mask::kSliding);
    in.w = *rc::gen::inRange(1, 10);
    return in;
  });
}

RC_GTEST_PROP(AttendLaws, AWindowAsLongAsTheKeysIsCausal, ()) {
  HeadInputs in = *any_head();
  in.mask = Mask::kCausal;
  const HeadOutputs causal = attend(in);
  in.mask = Mask::kSliding;
  in.w = in.k.rows();
  RC_ASSERT(attend(in).out == causal.out);
  RC_ASSERT(attend(in).lse == causal.lse);
}

RC_GTEST_PROP(AttendLaws, TheLastCausalRowSeesAllAndDecodesAlone, ()) {
  HeadInputs in = *any_head();
  in.mask = Mask::kCausal;
  const HeadOutputs causal = attend(in);
  const Eigen::Index last = in.q.rows() - 1;
  in.q = in.q.row(last).eval();
  in.mask = Mask::kFull;
  RC_ASSERT(attend(in).out.row(0) == causal.out.row(last));
  RC_ASSERT(attend(in).lse[0] == causal.lse.back());
}

RC_GTEST_PROP(AttendLaws, AlignmentsAgreeWhereThereAreAsManyQueriesAsKeys, ()) {
  HeadInputs in = *any_head();
  in.q = in.k;
  const HeadOutputs bottom_right = attend(in);
  in.top_left = true;
  RC_ASSERT(attend(in).out == bottom_right.out);
}

RC_GTEST_PROP(AttendLaws, OutputIsLinearInTheValues, ()) {
  HeadInputs in = *any_head();
  const HeadOutputs got = attend(in);
  in.v *= 4.0;
  RC_ASSERT(attend(in).out == 4.0 * got.out);
  RC_ASSERT(attend(in).lse == got.lse);
}

}  // namespace
}  // namespace plumbline::attention
