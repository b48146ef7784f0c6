#include "reference/bounds/gemm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "reference/bounds/emulate.h"
#include "reference/spec/status.h"

namespace plumbline::bounds {
namespace {

using emulate::Order;

Matrix device_gemm(const Matrix& a, const Matrix& b, DType out, Order order) {
  Matrix c(a.rows(), b.rows());
  for (Eigen::Index i = 0; i < c.rows(); ++i) {
    for (Eigen::Index j = 0; j < c.cols(); ++j) {
      c(i, j) = emulate::round(out, emulate::dot(&a(i, 0), &b(j, 0), a.cols(), order));
    }
  }
  return c;
}

TEST(Gemm, HoldsForEveryOrderAndKindOfData) {
  std::mt19937_64 random(1);
  for (const std::string_view kind : emulate::kKinds) {
    for (const DType io : {DType::kBf16, DType::kF16}) {
      const Matrix a = emulate::draw(kind, 5, 333, io, random);
      const Matrix b = emulate::draw(kind == "cancelling" ? "positive" : kind, 7, 333, io, random);
      for (const DType out : {io, DType::kF32}) {
        const Expected expected = gemm(a, b, Profile{}, out);
        for (const Order order : emulate::kOrders) {
          EXPECT_EQ(emulate::outside(expected, device_gemm(a, b, out, order)), 0)
              << kind << " " << name_of(out) << " order " << static_cast<int>(order);
        }
      }
    }
  }
}

TEST(Gemm, RejectsTheLargestElementOffBySixteenUlp) {
  std::mt19937_64 random(2);
  const Matrix a = emulate::draw("heavy", 16, 1024, DType::kBf16, random);
  const Matrix b = emulate::draw("heavy", 16, 1024, DType::kBf16, random);
  const Matrix right = device_gemm(a, b, DType::kBf16, Order::kLanes);
  const Expected expected =
      gemm(a, b, {.name = "", .accumulator = Accumulator::kFp32Truncating}, DType::kBf16);
  Eigen::Index i = 0;
  Eigen::Index j = 0;
  const double largest = right.cwiseAbs().maxCoeff(&i, &j);
  for (const double sign : {-1.0, 1.0}) {
    Matrix wrong = right;
    wrong(i, j) += sign * 32 * half_ulp(DType::kBf16, largest);
    EXPECT_EQ(emulate::outside(expected, wrong), 1);
  }
}

TEST(Gemm, RejectsADroppedLastTerm) {
  std::mt19937_64 random(3);
  const Matrix a = emulate::draw("gaussian", 8, 256, DType::kBf16, random);
  const Matrix b = emulate::draw("gaussian", 8, 256, DType::kBf16, random);
  Matrix shorter = a;
  shorter.col(255).setZero();
  const Matrix wrong = device_gemm(shorter, b, DType::kBf16, Order::kForward);
  EXPECT_GT(emulate::outside(gemm(a, b, Profile{}, DType::kBf16), wrong), 32);
}

TEST(Gemm, IntegersAreExact) {
  Matrix a = Matrix::Constant(2, 7168, 127);
  Matrix b = Matrix::Constant(3, 7168, -127);
  b(1, 5) = 3;
  const Expected expected =
      gemm(a, b, {.name = "", .accumulator = Accumulator::kInt32}, DType::kI32);
  EXPECT_EQ(expected.value[0], -127.0 * 127 * 7168);
  for (const double radius : expected.radius) EXPECT_EQ(radius, 0.0);
  Matrix got = a * b.transpose();
  EXPECT_EQ(emulate::outside(expected, got), 0);
  got(1, 1) += 1;
  EXPECT_EQ(emulate::outside(expected, got), 1);
}

TEST(Gemm, AddsTheErrorOfTheReferenceItself) {
  // Products that cancel exactly: the device's integer sum is 0, the double reference need not be.
  Matrix a(1, 4);
  Matrix b = Matrix::Ones(1, 4);
  a << 1e8, 0x1p-30, -1e8, -0x1p-30;
  const Expected expected = gemm(a, b, Profile{}, DType::kF32);
  EXPECT_EQ(emulate::outside(expected, Matrix::Zero(1, 1)), 0);
  EXPECT_GT(reference_gamma(4) * 2e8, std::abs(expected.value[0]));
  EXPECT_GE(expected.radius[0], reference_gamma(4) * 2e8);
}

TEST(Gemm, ScalesMultiplyValueAndRadius) {
  std::mt19937_64 random(4);
  const Matrix a = emulate::draw("gaussian", 3, 64, DType::kE4m3fn, random);
  const Matrix b = emulate::draw("gaussian", 2, 64, DType::kE4m3fn, random);
  const std::vector<double> sa = {0.5, 2, 4};
  const std::vector<double> sb = {1, 8};
  const Expected plain = gemm(a, b, Profile{}, DType::kF32);
  const Expected scaled = gemm(a, b, Profile{}, DType::kF32, {sa, sb});
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_DOUBLE_EQ(scaled.value[i * 2 + j], plain.value[i * 2 + j] * sa[i] * sb[j]);
      EXPECT_GE(scaled.radius[i * 2 + j], plain.radius[i * 2 + j] * sa[i] * sb[j]);
    }
  }
  EXPECT_THROW(gemm(a, b, Profile{}, DType::kF32, {sb, sb}), ContractViolation);
}

TEST(Gemm, InterimHopperProfilesAreWiderAndFastGrowsWithK) {
  const Matrix a = Matrix::Ones(1, 1024);
  const auto radius = [&](Accumulator accumulator) {
    return gemm(a, a, {.name = "", .accumulator = accumulator}, DType::kF32).radius[0];
  };
  EXPECT_LT(radius(Accumulator::kFp32), radius(Accumulator::kFp32Truncating));
  EXPECT_LT(radius(Accumulator::kFp32Truncating), radius(Accumulator::kHopperFp8Precise));
  EXPECT_LT(radius(Accumulator::kHopperFp8Precise), radius(Accumulator::kHopperFp8Fast));
}

TEST(Gemm, NanIsExpectedAsNanAndNeverWithinARadius) {
  Matrix a = Matrix::Ones(1, 4);
  a(0, 2) = std::nan("");
  const Expected expected = gemm(a, Matrix::Ones(1, 4), Profile{}, DType::kBf16);
  EXPECT_TRUE(std::isnan(expected.value[0]));
  EXPECT_EQ(expected.radius[0], 0.0);
  EXPECT_EQ(emulate::outside(gemm(Matrix::Ones(1, 4), Matrix::Ones(1, 4), Profile{}, DType::kBf16),
                             Matrix::Constant(1, 1, std::nan(""))),
            1);
}

}  // namespace
}  // namespace plumbline::bounds
