#include "reference/bounds/exact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/bounds/experts.h"

namespace plumbline::bounds {
namespace {

TEST(Exact, TheGrainIsTheLowestSetBit) {
  EXPECT_EQ(grain_of(1.0), 1.0);
  EXPECT_EQ(grain_of(-6.0), 2.0);
  EXPECT_EQ(grain_of(0.75), 0.25);
  EXPECT_EQ(grain_of(257.0), 1.0);
  EXPECT_EQ(grain_of(0.0), std::numeric_limits<double>::infinity());
}

TEST(Exact, ProductsAreCertifiedUpToTwentyFourBits) {
  const Enclosure a = Enclosure::exact(Matrix::Constant(1, 4, 3.0));
  EXPECT_TRUE(multiplies_exactly(a, Matrix::Constant(1, 4, 1024.0)));
  EXPECT_TRUE(multiplies_exactly(a, Matrix::Constant(1, 4, 0.0)));
  Matrix wide = Matrix::Constant(1, 4, 0x1p22);
  EXPECT_TRUE(multiplies_exactly(a, wide)) << "all are multiples of 2^22";
  wide(0, 0) = 1.0;
  EXPECT_FALSE(multiplies_exactly(a, wide)) << "4 * 3 * 2^22 needs more than 24 bits";
  wide(0, 0) = std::nan("");
  EXPECT_FALSE(multiplies_exactly(a, wide));
}

TEST(Exact, AnUncertainOperandIsNeverExact) {
  Enclosure a = Enclosure::exact(Matrix::Constant(1, 4, 3.0));
  a.radius(0, 2) = 0x1p-30;
  EXPECT_FALSE(multiplies_exactly(a, Matrix::Constant(1, 4, 1.0)));
}

/// One token, one expert; every weight is `weight`, x is 1.
moe::ExpertInputs layer(std::int64_t rows, double gate, double up) {
  moe::ExpertInputs in;
  in.t = in.e = in.k = 1;
  in.h = 3;
  in.i = 2;
  in.x = Matrix::Constant(1, 3, 1.0);
  in.w13 = {Matrix::Constant(rows, 3, up)};
  in.w13[0].topRows(2).setConstant(gate);
  in.w2 = {Matrix::Constant(3, 2, 1.0)};
  in.ids = {0};
  in.topk_weights = Matrix::Constant(1, 1, 0.5);
  return in;
}

bool all_exact(const Expected& expected) {
  return std::all_of(expected.radius.begin(), expected.radius.end(),
                     [](double radius) { return radius == 0; });
}

TEST(Exact, Relu2OfIntegersHasOneRightAnswer) {
  ExpertArithmetic arithmetic;
  arithmetic.activation.kind = Activation::Kind::kRelu2;
  const Expected expected = experts(layer(2, 6.0, 0.0), arithmetic);
  EXPECT_TRUE(all_exact(expected));
  EXPECT_EQ(expected.value[0], 324.0) << "(3*6)^2 is 324, twice that times a half";
}

TEST(Exact, ASaturatedSiluIsTheProductOfGateAndUp) {
  const Expected expected = experts(layer(4, 8.0, 5.0), ExpertArithmetic{});
  EXPECT_TRUE(all_exact(expected));
  EXPECT_EQ(expected.value[0], 360.0) << "24 * 15";
}

TEST(Exact, ARoundingErasesTheErrorOfASiluThatIsNotSaturated) {
  const Expected expected = experts(layer(4, 1.0, 5.0), ExpertArithmetic{});
  EXPECT_TRUE(all_exact(expected)) << "R2 has one code for all that the silu may give";
  ExpertArithmetic finer;
  finer.io = DType::kF32;
  EXPECT_FALSE(all_exact(experts(layer(4, 1.0, 5.0), finer)));
}

TEST(Exact, AResultBetweenTwoCodesIsTheRoundedOne) {
  ExpertArithmetic arithmetic;
  arithmetic.activation.kind = Activation::Kind::kRelu2;
  const Expected expected = experts(layer(2, 17.0, 0.0), arithmetic);
  EXPECT_TRUE(all_exact(expected));
  EXPECT_EQ(expected.value[0], 2608.0) << "51^2 = 2601 rounds to 2608 in bf16 (spacing 16)";
}

}  // namespace
}  // namespace plumbline::bounds
