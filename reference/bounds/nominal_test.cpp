#include "reference/bounds/nominal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "reference/bounds/carried.h"
#include "reference/bounds/emulate.h"
#include "reference/bounds/group_quant.h"

namespace plumbline::bounds {
namespace {

constexpr double kLambda = Calibrated::kLambda;

/// Deviations of one row of values.
Nominal row_of(std::initializer_list<Deviation> elements) {
  Nominal row = Nominal::exact(Matrix::Zero(1, std::ssize(elements)));
  Eigen::Index n = 0;
  for (const Deviation& d : elements) row.set(n++, d);
  return row;
}

/// Around one number of the format: itself, the ties on both sides and just inside one.
void expect_rounded_alike(DType dtype, const Grid& grid, double value) {
  const double half = formats::ulp(dtype, value) / 2;
  for (const double x : {value, value + half, value - half, value + half * 0.999}) {
    if (std::abs(x) > format_of(dtype).max_finite()) continue;
    ASSERT_EQ(grid(x), formats::round_to(dtype, x)) << name_of(dtype) << " " << x;
  }
}

TEST(Grid, RoundsAsTheCodecDoesAroundEveryCode) {
  for (const DType dtype :
       {DType::kE4m3fn, DType::kE5m2, DType::kBf16, DType::kF16, DType::kI8, DType::kE2m1fn}) {
    const Grid grid(dtype);
    const std::uint64_t codes = std::uint64_t{1} << format_of(dtype).bits;
    for (std::uint64_t code = 0; code < codes; ++code) {
      const double value = formats::decode(dtype, code);
      if (std::isfinite(value)) expect_rounded_alike(dtype, grid, value);
    }
  }
}

TEST(Nominal, RoundingErasesADeviationThatReachesNoOtherNumber) {
  Nominal x = row_of({{1.001, 1e-4, 1e-10, 1e-10, 1e-10}});
  const Enclosure w{Matrix::Constant(1, 1, 1.001), Matrix::Constant(1, 1, 1.0)};
  round_nominal(DType::kBf16, w, x);
  EXPECT_EQ(x.at(0).value, 1.0);
  EXPECT_EQ(reach(x.at(0), 1.0, 1.0), 0.0);
}

TEST(Nominal, AFlipIsWeighedByItsChance) {
  const double edge = 1 + 0x1p-8;
  const auto proxy_at = [&](double distance) {
    Nominal x = row_of({{edge - distance, 0, 1e-8, 1e-8, 1e-8}});
    round_nominal(DType::kBf16, {Matrix::Constant(1, 1, edge), Matrix::Constant(1, 1, 1.0)}, x);
    return x.at(0).proxy;
  };
  EXPECT_GT(proxy_at(1e-5), 2 * proxy_at(5e-4)) << "near the edge a flip is likely";
  EXPECT_EQ(proxy_at(9e-4), 0.0) << "beyond the reach of 8 sigma it is none";
  EXPECT_LE(proxy_at(1e-9), 0x1p-14 / 4 + 1e-12) << "never more than a fair coin: d²/4";
}

TEST(Nominal, SecondOrderTermsAreCappedByTheRigorousReach) {
  const Nominal x = row_of({{1.0, 1e6, 1e12, 1e12, 1e12}});
  const Enclosure w{Matrix::Constant(1, 1, 1.0), Matrix::Constant(1, 1, 1e-3)};
  const Matrix reached = reach(x, w);
  EXPECT_EQ(reached(0, 0), 1e-3);
  const Nominal product = multiply({x, reached}, {x, reached}, Factors::kIndependent);
  const double second = product.proxy(0, 0) - 2 * 1e12;
  EXPECT_LE(second, 1.0);
}

TEST(Nominal, TheReferencesOwnErrorCoversASumThatIsExactlyZero) {
  // 0.1·3 − 0.3 in double is not 0, whereas the device's integers cancel.
  Matrix a(1, 4);
  a << 0.1, 0.1, 0.1, 0.3;
  Matrix w(1, 4);
  w << 1, 1, 1, -1;
  SumErrors errors;
  errors.scalings = 3;
  errors.gamma = 3 * kUnit32;
  errors.reference = reference_gamma(4);
  const Carried product = multiply_transposed(Carried::exact(a, true), w, errors);
  const Deviation d = product.nominal->at(0);
  ASSERT_NE(d.value, 0.0);
  EXPECT_GE(d.fixed, std::abs(d.value));
}

TEST(Nominal, PowerOfTwoScalesAreNotInflated) {
  // Codes of a group whose scale is a power of two, on the very ties of the format.
  Matrix x(1, 4);
  x << 448, 17, 19, 21;
  const Carried quantized = quantize_rows(Carried::exact(x, true), {DType::kE4m3fn, 0});
  EXPECT_TRUE((quantized.nominal->fixed.array() == 0).all());
  EXPECT_TRUE((quantized.nominal->proxy.array() == 0).all());
  EXPECT_EQ(quantized.nominal->value(0, 1), 16.0);
  EXPECT_EQ(quantized.nominal->value(0, 2), 20.0);
}

TEST(Nominal, ADoubtfulScaleMovesTheGroupAndNotEachElement) {
  Carried x = Carried::exact(Matrix::Constant(1, 64, 1.0), true);
  for (Eigen::Index n = 1; n < 64; n += 2) x.rigorous.mid(0, n) = -1.0;
  x.nominal->value = x.rigorous.mid;
  x.scale = {Matrix::Constant(1, 1, 0x1p-8), 64};
  x.rigorous.radius.setConstant(0x1p-8);
  const Carried sum = multiply_transposed(x, Matrix::Constant(1, 64, 0.1), {1e-5, 70, 0, false, 0});
  EXPECT_LT(sum.nominal->fixed(0, 0), 1e-12) << "the group adds up to zero";
  EXPECT_GT(sum.rigorous.radius(0, 0), 0.02) << "the rigorous track moves each element";
}

/// a·wᵀ in fp32, every sum in that order.
Matrix product_in(emulate::Order order, const Matrix& a, const Matrix& w) {
  Matrix product(a.rows(), w.rows());
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    for (Eigen::Index j = 0; j < w.rows(); ++j) {
      product(i, j) = emulate::dot(&a(i, 0), &w(j, 0), a.cols(), order);
    }
  }
  return product;
}

TEST(Nominal, SumsInEveryOrderLieWithinTheReach) {
  std::mt19937_64 random(11);
  const SumErrors errors{gamma32(512, 0, false), 516, 0, false, reference_gamma(512)};
  for (const std::string_view kind : emulate::kKinds) {
    const Matrix a = emulate::draw(kind, 8, 512, DType::kBf16, random);
    const Matrix w = emulate::draw("gaussian", 32, 512, DType::kBf16, random);
    const Carried sum = multiply_transposed(Carried::exact(a, true), w, errors);
    const Matrix reached = reach(*sum.nominal, sum.rigorous);
    for (const emulate::Order order : emulate::kOrders) {
      EXPECT_EQ(emulate::outside(sum.nominal->value, reached, product_in(order, a, w)), 0) << kind;
    }
    EXPECT_TRUE((reached.array() <= sum.rigorous.radius.array()).all());
  }
}

TEST(Nominal, WhatIsNotFiniteIsMetExactly) {
  const double inf = std::numeric_limits<double>::infinity();
  const Nominal x = row_of({{inf, 0, 0, 0, 0}, {std::nan(""), 1, 1, 1, 1}, {1, inf, 0, 0, 0}});
  Matrix mid(1, 3);
  mid << inf, std::nan(""), 1;
  Matrix radius(1, 3);
  radius << 0, 0, inf;
  const Calibrated out = calibrated_output(DType::kBf16, x, {mid, radius});
  EXPECT_EQ(out.value[0], inf);
  EXPECT_TRUE(std::isnan(out.value[1]));
  EXPECT_EQ(out.radius[0], 0.0);
  EXPECT_EQ(out.radius[1], 0.0);
  EXPECT_EQ(out.radius[2], inf);
  EXPECT_GT(kLambda, 0);
}

}  // namespace
}  // namespace plumbline::bounds
