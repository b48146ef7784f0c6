#include "reference/bounds/experts.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <set>

#include "reference/bounds/emulate.h"
#include "reference/bounds/group_quant.h"
#include "reference/formats/codec.h"
#include "reference/spec/ids.h"
#include "reference/spec/status.h"

namespace plumbline::bounds {
namespace {

using emulate::Order;
using moe::ExpertInputs;

ExpertInputs layer(std::string_view kind, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  ExpertInputs in;
  in.t = 9;
  in.h = 96;
  in.i = 40;
  in.e = 4;
  in.k = 3;
  in.x = emulate::draw(kind, in.t, in.h, DType::kBf16, random);
  for (std::int64_t e = 0; e < in.e; ++e) {
    in.w13.push_back(emulate::draw("gaussian", 2 * in.i, in.h, DType::kBf16, random) / 8);
    in.w2.push_back(emulate::draw("gaussian", in.h, in.i, DType::kBf16, random) / 8);
  }
  for (std::int64_t n = 0; n < in.t * in.k; ++n) {
    in.ids.push_back(static_cast<std::int32_t>((n + n / in.k) % in.e));
  }
  in.topk_weights = emulate::draw("positive", in.t, in.k, DType::kF32, random) / 2;
  return in;
}

TEST(ExpertBounds, HoldForStagesInEveryOrder) {
  for (const std::string_view kind : emulate::kKinds) {
    const ExpertInputs in = layer(kind, 1);
    const Expected expected = bounds::experts(in, {});
    for (const Order order : emulate::kOrders) {
      EXPECT_EQ(emulate::outside(expected, emulate::staged_experts(in, order)), 0)
          << kind << " order " << static_cast<int>(order);
    }
  }
}

TEST(ExpertBounds, RefuseASchemeThatNobodyDerived) {
  const std::set<std::string_view> derived = {
      "bf16", "fp16", "w8a8_int8", "w8a8_fp8_channel", "w8a8_fp8_token", "fp8_block128"};
  const ExpertInputs in = layer("gaussian", 1);
  for (const QuantScheme& scheme : all_quant_schemes()) {
    ExpertArithmetic arithmetic;
    arithmetic.quant = scheme.name;
    if (derived.contains(scheme.name)) {
      EXPECT_NO_THROW(bounds::experts(in, arithmetic)) << scheme.name;
    } else {
      EXPECT_THROW(bounds::experts(in, arithmetic), BadInput) << scheme.name;
    }
  }
}

TEST(ExpertBounds, HoldForQuantisedActivationsAndTellTheirGroupsApart) {
  for (const std::string_view kind : {"gaussian", "heavy", "positive"}) {
    ExpertInputs in = layer(kind, 12);
    in.i = 160;
    std::mt19937_64 random(13);
    for (Matrix& w : in.w13) w = emulate::draw("gaussian", 320, in.h, DType::kE4m3fn, random) / 8;
    for (Matrix& w : in.w2) w = emulate::draw("gaussian", in.h, 160, DType::kE4m3fn, random) / 8;
    ExpertArithmetic arithmetic;
    arithmetic.quant = "fp8_block128";
    const Expected expected = bounds::experts(in, arithmetic);
    for (const Order order : emulate::kOrders) {
      EXPECT_EQ(emulate::outside(expected, emulate::staged_experts(in, order, 128)), 0) << kind;
    }
    const Matrix wrong = emulate::staged_experts(in, Order::kForward, 0);
    EXPECT_GT(emulate::outside(expected, wrong), wrong.size() / 2) << "nothing quantised";
    const Matrix halves = emulate::staged_experts(in, Order::kForward, 64);
    EXPECT_GT(emulate::outside(expected, halves), wrong.size() / 4) << "groups of 64";
  }
}

TEST(ExpertBounds, AreTightEnoughForOneUlpOnMostElements) {
  const ExpertInputs in = layer("gaussian", 2);
  const Expected expected = bounds::experts(in, {});
  Matrix wrong = emulate::staged_experts(in, Order::kForward);
  for (Eigen::Index n = 0; n < wrong.size(); ++n) {
    wrong.data()[n] += 4 * half_ulp(DType::kBf16, std::abs(wrong.data()[n]));
  }
  EXPECT_GT(emulate::outside(expected, wrong), wrong.size() / 2);
}

TEST(ExpertBounds, RejectGateAndUpSwappedAndWeightsTwice) {
  const ExpertInputs in = layer("gaussian", 3);
  const Expected expected = bounds::experts(in, {});
  ExpertInputs swapped = in;
  for (Matrix& w : swapped.w13) {
    const Matrix gate = w.topRows(in.i);
    w.topRows(in.i) = w.bottomRows(in.i).eval();
    w.bottomRows(in.i) = gate;
  }
  EXPECT_GT(emulate::outside(expected, emulate::staged_experts(swapped, Order::kForward)), 600);
  ExpertInputs twice = in;
  twice.topk_weights = in.topk_weights.cwiseProduct(in.topk_weights);
  EXPECT_GT(emulate::outside(expected, emulate::staged_experts(twice, Order::kForward)), 600);
}

TEST(ExpertBounds, RejectSwappedRowsAndTheLargestElementOffBySixteenUlp) {
  const ExpertInputs in = layer("heavy", 4);
  for (const ExpertRounding rounding : {ExpertRounding::kStages, ExpertRounding::kEveryOperation}) {
    const Expected expected = bounds::experts(in, {.profile = {.name = "", .rounding = rounding}});
    const Eigen::Map<const Matrix> value(expected.value.data(), in.t, in.h);
    Matrix right = value;
    round_all(DType::kBf16, right);
    ASSERT_EQ(emulate::outside(expected, right), 0);
    Eigen::Index i = 0;
    Eigen::Index j = 0;
    const double largest = right.cwiseAbs().maxCoeff(&i, &j);
    for (const double sign : {-1.0, 1.0}) {
      Matrix wrong = right;
      wrong(i, j) += sign * 32 * half_ulp(DType::kBf16, largest);
      EXPECT_EQ(emulate::outside(expected, wrong), 1);
    }
    Matrix wrong = right;
    wrong.row(i).swap(wrong.row((i + 1) % in.t));
    EXPECT_GT(emulate::outside(expected, wrong), in.h / 2);
  }
}

TEST(ExpertBounds, ProfilesTellRoundingPointsApart) {
  const ExpertInputs in = layer("gaussian", 5);
  const Matrix staged = emulate::staged_experts(in, Order::kForward);
  const Expected each =
      bounds::experts(in, {.profile = {.name = "", .rounding = ExpertRounding::kEveryOperation}});
  EXPECT_GT(emulate::outside(each, staged), 0);
  const Expected io_sum =
      bounds::experts(in, {.profile = {.name = "", .combine = Combine::kIoInExpertOrder}});
  EXPECT_GT(emulate::outside(io_sum, staged), 0);
}

TEST(ExpertBounds, HoldForLayersThatKeepFp32UntilAnOperandOrTheOutputNeedsIo) {
  for (const std::string_view kind : emulate::kKinds) {
    const ExpertInputs in = layer(kind, 14);
    for (const auto rounding : {ExpertRounding::kActivation, ExpertRounding::kOutput}) {
      const Expected expected =
          bounds::experts(in, {.profile = {.name = "", .rounding = rounding}});
      for (const Order order : emulate::kOrders) {
        const Matrix right = emulate::staged_experts(in, order, 0, rounding);
        EXPECT_EQ(emulate::outside(expected, right), 0) << kind;
      }
      const Matrix staged = emulate::staged_experts(in, Order::kForward);
      EXPECT_GT(emulate::outside(expected, staged), staged.size() / 4) << kind;
    }
  }
}

TEST(ExpertBounds, TokensWithoutExpertsAreExactZerosAndIdentitiesReturnX) {
  ExpertInputs in = layer("gaussian", 6);
  for (int slot = 0; slot < 3; ++slot) in.ids[static_cast<std::size_t>(slot)] = -1;
  in.ids[3] = 4;
  in.ids[4] = -1;
  in.ids[5] = -1;
  in.topk_weights(1, 0) = 1;
  const Expected expected = bounds::experts(in, {});
  for (std::size_t j = 0; j < 96; ++j) {
    EXPECT_EQ(expected.value[j], 0.0);
    EXPECT_EQ(expected.radius[j], 0.0);
    EXPECT_EQ(expected.value[96 + j], in.x(1, static_cast<Eigen::Index>(j)));
  }
}

TEST(ExpertBounds, AScaleMultipliesTheSumOnce) {
  const ExpertInputs in = layer("gaussian", 7);
  const Expected one = bounds::experts(in, {});
  const Expected two = bounds::experts(in, {.scale = 2.0});
  for (std::size_t n = 0; n < one.value.size(); ++n) {
    EXPECT_EQ(two.value[n], 2 * one.value[n]);
    EXPECT_NEAR(two.radius[n], 2 * one.radius[n], 2e-3 * one.radius[n]);
  }
}

TEST(ExpertBounds, NanReachesItsOwnTokenOnly) {
  ExpertInputs in = layer("gaussian", 8);
  in.x(2, 5) = std::nan("");
  const Expected expected = bounds::experts(in, {});
  for (std::int64_t t = 0; t < in.t; ++t) {
    EXPECT_EQ(std::isnan(expected.value[static_cast<std::size_t>(t * in.h)]), t == 2);
  }
}

TEST(GroupQuantisation, ExactOperandsAreFollowedBitByBit) {
  std::mt19937_64 random(9);
  const Matrix x = emulate::draw("heavy", 6, 200, DType::kBf16, random);
  const Enclosure quantised = quantize_rows(Enclosure::exact(x), {DType::kE4m3fn, 128});
  EXPECT_EQ(quantised.radius.maxCoeff(), 0.0);
  for (Eigen::Index row = 0; row < x.rows(); ++row) {
    for (const Eigen::Index first : {0, 128}) {
      const Eigen::Index n = first == 0 ? 128 : 72;
      const auto amax = static_cast<float>(x.row(row).segment(first, n).cwiseAbs().maxCoeff());
      const float scale = std::max(amax, 1e-10F) / 448.0F;
      for (Eigen::Index j = first; j < first + n; ++j) {
        const float code = emulate::round(DType::kE4m3fn, static_cast<float>(x(row, j)) / scale);
        EXPECT_EQ(quantised.mid(row, j), static_cast<double>(code) * scale);
      }
    }
  }
}

TEST(GroupQuantisation, PowersOfTwoAreNotInflated) {
  // amax = 448·2^k gives the scale 2^k: every quotient is exact, ties included, and stays certain.
  Matrix x = Matrix::Constant(1, 128, 448 * 0x1p-6);
  x(0, 1) = 17 * 0x1p-6;  // halfway between the codes 16 and 18
  const Enclosure quantised = quantize_rows(Enclosure::exact(x), {DType::kE4m3fn, 128});
  EXPECT_EQ(quantised.mid(0, 1), 16 * 0x1p-6);
  EXPECT_EQ(quantised.radius(0, 1), 0.0);
}

TEST(GroupQuantisation, HoldsEveryMemberOfTheInterval) {
  std::mt19937_64 random(10);
  std::uniform_real_distribution<double> inside(-1, 1);
  const Matrix mid = emulate::draw("heavy", 8, 128, DType::kBf16, random);
  const Enclosure x{mid, mid.cwiseAbs() * 0x1p-7};
  const Enclosure quantised = quantize_rows(x, {DType::kE4m3fn, 128});
  for (int trial = 0; trial < 50; ++trial) {
    Matrix member = mid;
    for (Eigen::Index n = 0; n < member.size(); ++n) {
      member.data()[n] += inside(random) * x.radius.data()[n];
      member.data()[n] = static_cast<float>(member.data()[n]);
    }
    const Matrix got = quantize_rows(Enclosure::exact(member), {DType::kE4m3fn, 128}).mid;
    // A member may leave the interval by its own rounding to fp32.
    EXPECT_EQ(emulate::outside(quantised.mid, quantised.radius * (1 + 1e-7), got), 0);
  }
}

TEST(ExpertBounds, SmallLayersAreBoundedQuickly) {
  const ExpertInputs in = layer("gaussian", 11);
  double best = 1e9;
  for (int run = 0; run < 20; ++run) {
    const auto start = std::chrono::steady_clock::now();
    const Expected expected = bounds::experts(in, {});
    ASSERT_FALSE(expected.value.empty());
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  EXPECT_LT(best, 20.0) << "milliseconds; about 0.3 on an idle machine";
}

}  // namespace
}  // namespace plumbline::bounds
