#include "reference/bounds/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/bounds/emulate.h"

namespace plumbline::bounds {
namespace {

using attention::HeadInputs;
using emulate::Order;

/// A tiled kernel with a running maximum, in fp32.
struct Device {
  std::int64_t tile = 16;
  Order order = Order::kForward;
  bool base2 = false;
  bool p_io = false;
  std::int64_t see_too_far = 0;  ///< planted: keys past the mask that are read
  bool skip_last = false;        ///< planted: the last visible key is not read
};

float logit(const HeadInputs& in, Eigen::Index row, Eigen::Index key, Order order) {
  float s = emulate::dot(&in.q(row, 0), &in.k(key, 0), in.q.cols(), order);
  s *= static_cast<float>(in.scale);
  const auto cap = static_cast<float>(in.softcap);
  return cap > 0 ? cap * std::tanh(s / cap) : s;
}

float power(const Device& device, float s, float m) {
  if (!device.base2) return std::exp(s - m);
  constexpr float kLog2E = 1.44269504F;
  return std::exp2(std::fma(s, kLog2E, -(m * kLog2E)));
}

struct Running {
  float m = -std::numeric_limits<float>::infinity();
  float sum = 0;
  std::vector<float> acc;
};

void add_tile(const HeadInputs& in, const Device& device, DType io, Running& run,
              const std::vector<float>& s, Eigen::Index first) {
  const float m = std::max(run.m, *std::max_element(s.begin(), s.end()));
  const float rescale = std::isinf(run.m) ? 0.0F : power(device, run.m, m);
  run.m = m;
  run.sum *= rescale;
  for (float& a : run.acc) a *= rescale;
  for (std::size_t j = 0; j < s.size(); ++j) {
    const float p = power(device, s[j], m);
    run.sum += p;
    const float used = device.p_io ? emulate::round(io, p) : p;
    for (std::size_t c = 0; c < run.acc.size(); ++c) {
      run.acc[c] += used * static_cast<float>(in.v(first + static_cast<Eigen::Index>(j),
                                                   static_cast<Eigen::Index>(c)));
    }
  }
}

struct Answer {
  Matrix out;
  std::vector<double> lse;
};

Answer run(const HeadInputs& in, const Device& device, DType io) {
  Answer answer{Matrix::Zero(in.q.rows(), in.v.cols()), {}};
  for (Eigen::Index row = 0; row < in.q.rows(); ++row) {
    auto [first, last] = in.visible(row);
    last = std::min<std::int64_t>(last + device.see_too_far, in.k.rows());
    if (device.skip_last) --last;
    Running running;
    running.acc.assign(static_cast<std::size_t>(in.v.cols()), 0.0F);
    if (in.sink) {
      running.m = static_cast<float>(*in.sink);
      running.sum = 1;
    }
    for (std::int64_t at = first; at < last; at += device.tile) {
      std::vector<float> s;
      for (std::int64_t j = at; j < std::min(at + device.tile, last); ++j) {
        s.push_back(logit(in, row, j, device.order));
      }
      add_tile(in, device, io, running, s, at);
    }
    for (Eigen::Index c = 0; c < in.v.cols(); ++c) {
      const float value = running.acc[static_cast<std::size_t>(c)] / running.sum;
      answer.out(row, c) = running.sum > 0 ? emulate::round(io, value) : 0.0F;
    }
    answer.lse.push_back(running.m + std::log(running.sum));
  }
  return answer;
}

HeadInputs head(std::string_view kind, std::int64_t sq, std::int64_t sk, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  HeadInputs in;
  in.q = emulate::draw(kind, sq, 32, DType::kBf16, random);
  in.k = emulate::draw(kind, sk, 32, DType::kBf16, random);
  in.v = emulate::draw(kind, sk, 24, DType::kBf16, random);
  in.scale = static_cast<float>(1 / std::sqrt(32.0));
  in.mask = Mask::kCausal;
  return in;
}

std::int64_t lse_outside(const HeadExpected& expected, const std::vector<double>& lse) {
  std::int64_t count = 0;
  for (std::size_t r = 0; r < lse.size(); ++r) {
    const auto got = static_cast<double>(static_cast<float>(lse[r]));
    if (got == expected.lse[r]) continue;
    if (!(std::abs(got - expected.lse[r]) <= expected.lse_radius[r])) ++count;
  }
  return count;
}

std::vector<HeadInputs> variants(std::string_view kind) {
  std::vector<HeadInputs> heads = {head(kind, 19, 45, 1), head(kind, 1, 200, 2),
                                   head(kind, 40, 40, 3)};
  heads.push_back(head(kind, 17, 50, 4));
  heads.back().mask = Mask::kSliding;
  heads.back().w = 7;
  heads.push_back(head(kind, 17, 50, 5));
  heads.back().sink = 1.5;
  heads.push_back(head(kind, 17, 50, 6));
  heads.back().softcap = 5;
  return heads;
}

TEST(AttentionBounds, HoldForTilesOrdersAndExponentials) {
  for (const std::string_view kind : emulate::kKinds) {
    for (const HeadInputs& in : variants(kind)) {
      for (const bool p_io : {false, true}) {
        const Profile profile{.name = "",
                              .probability = p_io ? Probability::kIo : Probability::kFp32};
        const HeadExpected expected = attention(in, profile, DType::kBf16);
        for (const Order order : emulate::kOrders) {
          const Device device{order == Order::kLanes ? 64 : 16, order, order == Order::kFma, p_io};
          const Answer answer = run(in, device, DType::kBf16);
          EXPECT_EQ(emulate::outside(expected.out.mid, expected.out.radius, answer.out), 0)
              << kind << " p_io " << p_io << " order " << static_cast<int>(order);
          EXPECT_EQ(lse_outside(expected, answer.lse), 0) << kind;
        }
      }
    }
  }
}

TEST(AttentionBounds, ProbabilitiesInIoNeedTheirProfile) {
  const HeadInputs in = head("gaussian", 32, 64, 7);
  const Answer answer = run(in, {.p_io = true}, DType::kBf16);
  const HeadExpected expected = attention(in, Profile{}, DType::kBf16);
  EXPECT_GT(emulate::outside(expected.out.mid, expected.out.radius, answer.out), 0);
}

TEST(AttentionBounds, RejectMasksOffByOne) {
  const HeadInputs in = head("gaussian", 32, 64, 8);
  for (const Probability probability : {Probability::kFp32, Probability::kIo}) {
    const HeadExpected expected =
        attention(in, {.name = "", .probability = probability}, DType::kBf16);
    for (const Device& wrong : {Device{.see_too_far = 1}, Device{.skip_last = true}}) {
      const Answer answer = run(in, wrong, DType::kBf16);
      EXPECT_GT(emulate::outside(expected.out.mid, expected.out.radius, answer.out), 100);
      EXPECT_GT(lse_outside(expected, answer.lse), 20);
    }
  }
}

TEST(AttentionBounds, RejectTheLargestElementOffBySixteenUlp) {
  for (const std::string_view kind : {"gaussian", "heavy", "positive"}) {
    const HeadInputs in = head(kind, 33, 160, 9);
    const HeadExpected expected = attention(
        in,
        {.name = "", .accumulator = Accumulator::kFp32Truncating, .probability = Probability::kIo},
        DType::kBf16);
    Matrix wrong = run(in, {.p_io = true}, DType::kBf16).out;
    Eigen::Index i = 0;
    Eigen::Index j = 0;
    const double largest = wrong.cwiseAbs().maxCoeff(&i, &j);
    const double right = wrong(i, j);
    for (const double sign : {-1.0, 1.0}) {
      wrong(i, j) = right + sign * 32 * half_ulp(DType::kBf16, largest);
      EXPECT_EQ(emulate::outside(expected.out.mid, expected.out.radius, wrong), 1) << kind;
    }
  }
}

TEST(AttentionBounds, RowsWithoutKeysAreExact) {
  HeadInputs in = head("gaussian", 5, 3, 10);
  HeadExpected expected = attention(in, Profile{}, DType::kBf16);
  EXPECT_EQ(expected.out.mid.row(0).cwiseAbs().sum() + expected.out.radius.row(0).sum(), 0.0);
  EXPECT_EQ(expected.lse[0], -std::numeric_limits<double>::infinity());
  EXPECT_EQ(expected.lse_radius[0], 0.0);
  EXPECT_GT(expected.out.radius(4, 0), 0.0);
  in.sink = 0.25;
  expected = attention(in, Profile{}, DType::kBf16);
  EXPECT_EQ(expected.lse[0], 0.25);
  EXPECT_EQ(expected.lse_radius[0], 0.0);
}

TEST(AttentionBounds, WhatIsNotVisibleDoesNotMatter) {
  HeadInputs in = head("gaussian", 4, 9, 11);
  const HeadExpected clean = attention(in, Profile{}, DType::kBf16);
  in.k.row(8).setConstant(std::nan(""));
  in.v.row(8).setConstant(std::nan(""));
  const HeadExpected expected = attention(in, Profile{}, DType::kBf16);
  EXPECT_EQ(expected.out.mid.topRows(3), clean.out.mid.topRows(3));
  EXPECT_TRUE(std::isnan(expected.out.mid(3, 0))) << "the last row sees the last key";
  for (Eigen::Index n = 0; n < 3 * in.v.cols(); ++n) {
    EXPECT_TRUE(std::isfinite(expected.out.radius.data()[n]));
  }
}

TEST(AttentionBounds, DuplicateKeysWithPositiveValuesStayInside) {
  // Every weight equal and every value positive: errors of P add up instead of averaging out.
  HeadInputs in = head("positive", 8, 128, 12);
  for (Eigen::Index j = 1; j < in.k.rows(); ++j) in.k.row(j) = in.k.row(0);
  in.mask = Mask::kFull;
  const HeadExpected expected =
      attention(in, {.name = "", .probability = Probability::kIo}, DType::kBf16);
  const Answer answer = run(in, {.p_io = true}, DType::kBf16);
  EXPECT_EQ(emulate::outside(expected.out.mid, expected.out.radius, answer.out), 0);
}

}  // namespace
}  // namespace plumbline::bounds
