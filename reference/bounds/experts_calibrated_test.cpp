#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "reference/bounds/emulate.h"
#include "reference/bounds/experts.h"

namespace plumbline::bounds {
namespace {

using emulate::Order;
using moe::ExpertInputs;

struct Shape {
  std::int64_t t = 16, h = 256, i = 128;
};

ExpertInputs layer(std::string_view kind, std::uint64_t seed, DType weight, Shape shape = {}) {
  std::mt19937_64 random(seed);
  ExpertInputs in;
  in.t = shape.t;
  in.h = shape.h;
  in.i = shape.i;
  in.e = 4;
  in.k = 2;
  in.x = emulate::draw(kind, in.t, in.h, DType::kBf16, random);
  const auto drawn = [&](std::int64_t rows, std::int64_t cols) -> Matrix {
    return emulate::draw("gaussian", rows, cols, weight, random) /
           std::sqrt(static_cast<double>(cols));
  };
  for (std::int64_t e = 0; e < in.e; ++e) {
    in.w13.push_back(drawn(2 * in.i, in.h));
    in.w2.push_back(drawn(in.h, in.i));
  }
  for (Matrix* w : {&in.w13[0], &in.w13[1], &in.w13[2], &in.w13[3], &in.w2[0], &in.w2[1], &in.w2[2],
                    &in.w2[3]}) {
    round_all(DType::kF32, *w);
  }
  for (std::int64_t n = 0; n < in.t * in.k; ++n) {
    in.ids.push_back(static_cast<std::int32_t>((n + n / in.k) % in.e));
  }
  in.topk_weights = emulate::draw("positive", in.t, in.k, DType::kF32, random) / 2;
  return in;
}

ExpertArithmetic arithmetic_of(std::string_view quant) {
  ExpertArithmetic arithmetic;
  arithmetic.quant = quant;
  arithmetic.calibrated = true;
  return arithmetic;
}

std::int64_t outside(const Calibrated& s, const Matrix& got) {
  std::int64_t count = 0;
  for (std::size_t n = 0; n < s.value.size(); ++n) {
    const double distance = std::abs(got.data()[n] - s.value[n]);
    if (!(distance <= s.radius[n])) ++count;
  }
  return count;
}

double median_over_rms(const Calibrated& s) {
  double square = 0;
  for (const double value : s.value) square += value * value;
  std::vector<double> radius = s.radius;
  const auto middle = radius.begin() + static_cast<std::ptrdiff_t>(radius.size() / 2);
  std::nth_element(radius.begin(), middle, radius.end());
  return *middle / std::sqrt(square / static_cast<double>(s.value.size()));
}

void expect_held(std::string_view kind, std::uint64_t seed) {
  const ExpertInputs in = layer(kind, seed, DType::kBf16);
  const ExpertInputs fp8 = layer(kind, seed, DType::kE4m3fn);
  const Expected plain = experts(in, arithmetic_of("bf16"));
  const Expected blocked = experts(fp8, arithmetic_of("fp8_block128"));
  for (const Order order : emulate::kOrders) {
    EXPECT_EQ(outside(*plain.calibrated, emulate::staged_experts(in, order)), 0);
    EXPECT_EQ(outside(*blocked.calibrated, emulate::staged_experts(fp8, order, 128)), 0);
  }
}

TEST(CalibratedExperts, HoldForRightDevicesInEveryOrder) {
  for (const std::string_view kind : {"gaussian", "heavy", "positive"}) {
    SCOPED_TRACE(kind);
    for (std::uint64_t seed = 0; seed < 4; ++seed) expect_held(kind, seed);
  }
}

TEST(CalibratedExperts, LieWithinTheRigorousRadiusAndLeaveItAsItIs) {
  for (const std::string_view quant : {"bf16", "fp8_block128"}) {
    const ExpertInputs in = layer("gaussian", 5, quant == "bf16" ? DType::kBf16 : DType::kE4m3fn);
    ExpertArithmetic arithmetic = arithmetic_of(quant);
    const Expected both = experts(in, arithmetic);
    arithmetic.calibrated = false;
    const Expected alone = experts(in, arithmetic);
    ASSERT_FALSE(alone.calibrated);
    for (std::size_t n = 0; n < both.value.size(); ++n) {
      // The products run in another order, so that the last bits of a double may differ.
      ASSERT_NEAR(both.radius[n], alone.radius[n], 1e-9 * alone.radius[n]);
      const double most = std::abs(both.calibrated->value[n] - both.value[n]) + both.radius[n];
      ASSERT_LE(both.calibrated->radius[n], most);
    }
  }
}

TEST(CalibratedExperts, AreAsTightAsPublished) {
  const Shape shape{8, 1024, 384};
  const ExpertInputs in = layer("gaussian", 6, DType::kBf16, shape);
  EXPECT_LE(median_over_rms(*experts(in, arithmetic_of("bf16")).calibrated), 0.03);
  const ExpertInputs fp8 = layer("gaussian", 6, DType::kE4m3fn, shape);
  EXPECT_LE(median_over_rms(*experts(fp8, arithmetic_of("fp8_block128")).calibrated), 0.065);
}

TEST(CalibratedExperts, SeeWhatTheRigorousRadiusDoesNot) {
  const ExpertInputs in = layer("gaussian", 7, DType::kBf16, {8, 1024, 384});
  const Expected expected = experts(in, arithmetic_of("bf16"));
  ExpertInputs coarse = in;
  round_all(DType::kBf16, coarse.topk_weights);
  const Matrix weights_in_bf16 = emulate::staged_experts(coarse, Order::kForward);
  EXPECT_EQ(emulate::outside(expected, weights_in_bf16), 0);
  EXPECT_GT(outside(*expected.calibrated, weights_in_bf16), 10) << "router weights in bf16";
  ExpertInputs shorter = in;
  for (Matrix& w : shorter.w13) w.col(in.h - 1).setZero();
  const Matrix one_missing = emulate::staged_experts(shorter, Order::kForward);
  EXPECT_GT(outside(*expected.calibrated, one_missing), 100) << "the last k of GEMM1 is missing";
}

TEST(CalibratedExperts, ExpectTheMeanSquareThatDevicesShow) {
  const ExpertInputs in = layer("gaussian", 8, DType::kBf16);
  const Calibrated s = *experts(in, arithmetic_of("bf16")).calibrated;
  const Matrix got = emulate::staged_experts(in, Order::kLanes);
  double sum = 0;
  for (std::size_t n = 0; n < s.value.size(); ++n) {
    const double away = got.data()[n] - s.value[n];
    if (s.variance[n] > 0) sum += away * away / s.variance[n];
  }
  const double mean = sum / static_cast<double>(s.value.size());
  EXPECT_GT(mean, 0.3);
  EXPECT_LT(mean, 1.3);
}

}  // namespace
}  // namespace plumbline::bounds
