#include "reference/bounds/stages.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace plumbline::bounds {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// One expert that copies: w13 holds the identity for gate and up, w2 the identity.
moe::ExpertInputs copying_layer(std::int64_t t, std::int64_t k, std::vector<std::int32_t> ids) {
  moe::ExpertInputs in;
  in.t = t;
  in.h = in.i = 2;
  in.e = 1;
  in.k = k;
  in.x = Matrix::Ones(t, 2);
  Matrix w13(4, 2);
  w13 << 1, 0, 0, 1, 1, 0, 0, 1;
  in.w13 = {w13};
  in.w2 = {Matrix::Identity(2, 2)};
  in.ids = std::move(ids);
  in.topk_weights = Matrix::Ones(t, k);
  return in;
}

ExpertArithmetic arithmetic_of(const char* quant, Profile profile = {}) {
  ExpertArithmetic arithmetic;
  arithmetic.quant = quant;
  arithmetic.profile = std::move(profile);
  return arithmetic;
}

TEST(Stages, ScalesAndCodesFollowTheProfile) {
  Matrix x(2, 4);
  x << 127, 2.5, -1.5, 0, 1, -254, 5, kNan;
  Profile away;
  away.quant.ties = IntegerTies::kAway;
  const Expected even = stage_x_quantized(x, arithmetic_of("w8a8_int8"));
  const Expected other = stage_x_quantized(x, arithmetic_of("w8a8_int8", away));
  EXPECT_EQ(even.dtype, DType::kI8);
  EXPECT_EQ(std::vector(even.value.begin(), even.value.begin() + 4),
            (std::vector<double>{127, 2, -2, 0}));
  EXPECT_EQ(std::vector(other.value.begin(), other.value.begin() + 4),
            (std::vector<double>{127, 3, -2, 0}));
  EXPECT_EQ(even.radius[0], 0);
  EXPECT_TRUE(std::isinf(even.radius[4])) << "a row with NaN has no scale";
  const Expected scales = stage_x_scale(x, arithmetic_of("w8a8_int8"));
  EXPECT_EQ(scales.shape, (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(scales.value[0], 1);
  EXPECT_EQ(scales.radius[0], 0);
  EXPECT_TRUE(std::isinf(scales.radius[1]));
}

TEST(Stages, GroupsHaveTheirOwnScale) {
  Matrix x = Matrix::Ones(1, 256);
  x(0, 200) = -448;
  const auto arithmetic = arithmetic_of("fp8_block128");
  const Expected scales = stage_x_scale(x, arithmetic);
  ASSERT_EQ(scales.value.size(), 2U);
  EXPECT_EQ(scales.value[0], static_cast<double>(1.0F / 448.0F));
  EXPECT_EQ(scales.value[1], 1);
  const Expected codes = stage_x_quantized(x, arithmetic);
  EXPECT_EQ(codes.value[0], 448);
  EXPECT_EQ(codes.value[199], 1);
  const Matrix back = dequantized(ops::to_matrix(codes.value, 1, 256),
                                  ops::to_matrix(scales.value, 1, 2), arithmetic);
  EXPECT_EQ(back(0, 200), -448);
  EXPECT_EQ(back(0, 0), 448 * static_cast<double>(1.0F / 448.0F));
}

TEST(Stages, EachIsComputedFromTheStageBefore) {
  const moe::ExpertInputs in = copying_layer(1, 1, {0});
  Matrix other(1, 2);
  other << 3, 5;
  EXPECT_EQ(stage_gemm1(in, other, arithmetic_of("bf16")).value, (std::vector<double>{3, 5, 3, 5}));
  Matrix gemm1(1, 4);
  gemm1 << 32, 64, 2, 1;
  EXPECT_EQ(stage_activation(in, gemm1, arithmetic_of("bf16")).value,
            (std::vector<double>{64, 64}));
  EXPECT_EQ(stage_experts(in, other, arithmetic_of("bf16")).value, (std::vector<double>{3, 5}));
  EXPECT_EQ(stage_out(in, other, arithmetic_of("bf16")).value, (std::vector<double>{3, 5}));
}

TEST(Stages, RoundedOnceToTheTypeOfTheLayer) {
  const moe::ExpertInputs in = copying_layer(1, 1, {0});
  Matrix x(1, 2);
  x << 257, 259;
  const Expected gemm1 = stage_gemm1(in, x, arithmetic_of("bf16"));
  EXPECT_EQ(gemm1.value, (std::vector<double>{256, 260, 256, 260}));
  EXPECT_EQ(gemm1.radius, std::vector<double>(4, 0));
}

TEST(Stages, AnInt8SumErrsRelativeToItsResultOnly) {
  moe::ExpertInputs in = copying_layer(1, 1, {0});
  in.w13 = {Matrix::Constant(4, 2, 0.1)};
  Matrix x(1, 2);
  x << 100, -99.9;
  Profile int32;
  int32.accumulator = Accumulator::kInt32;
  auto exact_sum = arithmetic_of("w8a8_int8", int32);
  exact_sum.io = DType::kF32;
  auto fp32 = arithmetic_of("w8a8_int8");
  fp32.io = DType::kF32;
  EXPECT_LT(stage_gemm1(in, x, exact_sum).radius[0], stage_gemm1(in, x, fp32).radius[0] / 100);
}

TEST(Stages, SlotsWithoutAnExpertAreNotPromised) {
  const moe::ExpertInputs in = copying_layer(1, 2, {0, -1});
  const Expected gemm1 = stage_gemm1(in, in.x, arithmetic_of("bf16"));
  EXPECT_EQ(gemm1.radius[0], 0);
  EXPECT_TRUE(std::isinf(gemm1.radius[4]));
  Matrix weighted(2, 2);
  weighted << 1, 2, kNan, kNan;
  EXPECT_EQ(stage_out(in, weighted, arithmetic_of("bf16")).value, (std::vector<double>{1, 2}));
}

TEST(Stages, TheSumFollowsTheCombineOfTheProfile) {
  moe::ExpertInputs in = copying_layer(1, 3, {2, 1, 0});
  in.e = 3;
  Matrix weighted(3, 2);
  weighted << 1, 256, 1, 1, 256, 1;
  Profile io_sum;
  io_sum.combine = Combine::kIoInExpertOrder;
  // 256 + 1 = 257 rounds to 256, twice; from the other end 1 + 1 = 2 comes first.
  EXPECT_EQ(stage_out(in, weighted, arithmetic_of("bf16", io_sum)).value,
            (std::vector<double>{256, 258}));
  EXPECT_EQ(stage_out(in, weighted, arithmetic_of("bf16")).value, (std::vector<double>{258, 258}));
}

TEST(Stages, AStageBeforeOfAnotherShapeIsAProgrammingError) {
  const moe::ExpertInputs in = copying_layer(1, 1, {0});
  EXPECT_ANY_THROW(stage_activation(in, Matrix::Ones(1, 2), arithmetic_of("bf16")));
  EXPECT_ANY_THROW(stage_gemm1(in, Matrix::Ones(2, 2), arithmetic_of("bf16")));
}

}  // namespace
}  // namespace plumbline::bounds
