#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "device/abi/samples.h"

namespace plumbline::device {
namespace {

using test::call;
using test::f32_tensor;
using test::paged;
using test::prefill;
using test::Prefill;
using test::values_of;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Attention, OneKeyReturnsItsValueAndItsScore) {
  Prefill c = prefill({0, 1}, {0, 1}, 4);
  const Answer answer = call(c.problem.to_problem(), c.inputs);
  ASSERT_EQ(answer.status, Status::kOk) << answer.message;
  const auto v = values_of(c.inputs.at("v"));
  const auto out = values_of(answer.returned.at("out"));
  const auto q = values_of(c.inputs.at("q"));
  const auto k = values_of(c.inputs.at("k"));
  const auto lse = values_of(answer.returned.at("lse"));
  for (int head = 0; head < 4; ++head) {
    float score = 0.0F;
    for (int c4 = 0; c4 < 4; ++c4) {
      EXPECT_EQ(out[head * 4 + c4], v[head / 2 * 4 + c4]);
      score += q[head * 4 + c4] * k[head / 2 * 4 + c4];
    }
    EXPECT_EQ(lse[head], 0.5F * score);
  }
}

TEST(Attention, RowsWithoutKeysAreZeroAndMinusInfinity) {
  Prefill c = prefill({0, 3, 5}, {0, 2, 2}, 16);
  const Answer answer = call(c.problem.to_problem(), c.inputs);
  const auto out = values_of(answer.returned.at("out"));
  const auto lse = values_of(answer.returned.at("lse"));
  // Bottom right: of 3 queries over 2 keys the first sees none; the second sequence has no keys.
  for (const int row : {0, 3, 4}) {
    for (int head = 0; head < 4; ++head) {
      EXPECT_EQ(lse[head * 5 + row], -kInfinity);
      EXPECT_EQ(out[(row * 4 + head) * 16], 0.0F);
    }
  }
  EXPECT_TRUE(std::isfinite(lse[1]));
}

TEST(Attention, AnEmptyRowWithASinkHasTheSinkAsItsLse) {
  Prefill c = prefill({0, 1}, {0, 0}, 16);
  c.problem.has_sinks = true;
  c.inputs["sinks"] = f32_tensor({4}, {0.5F, -1.0F, 2.0F, -kInfinity});
  const Answer answer = call(c.problem.to_problem(), c.inputs);
  ASSERT_EQ(answer.status, Status::kOk) << answer.message;
  EXPECT_EQ(values_of(answer.returned.at("lse")), (std::vector<float>{0.5F, -1, 2, -kInfinity}));
  for (const float value : values_of(answer.returned.at("out"))) EXPECT_EQ(value, 0.0F);
}

TEST(Attention, NanInInvisibleKeysChangesNothing) {
  Prefill c = prefill({0, 70}, {0, 90}, 40);
  c.problem.mask = Mask::kSliding;
  c.problem.w = 17;
  const Problem problem = c.problem.to_problem();
  const Answer clean = call(problem, c.inputs);
  // Query 0 stands at key 20 and looks back to key 4.
  for (const char* name : {"k", "v"}) {
    for (float& value : c.inputs[name].as<float>().first(4 * 2 * 40)) value = kNan;
  }
  const Answer dirty = call(problem, c.inputs);
  EXPECT_EQ(clean.returned, dirty.returned);
  EXPECT_EQ(clean.returned, call(problem, c.inputs, 32).returned);
}

TEST(Attention, DecodeOfEqualScoresAgreesWithPrefillBitForBit) {
  // Every weight is 1 and every sum exact, in whatever order: a key left out or taken twice shows.
  Prefill c = prefill({0, 1, 2, 3}, {0, 150, 150, 217}, 96);
  c.inputs["q"] = f32_tensor({3, 4, 96}, {0.0F});
  Prefill d = paged(c, {150, 0, 67});
  const Answer decode = call(d.problem.to_problem(), d.inputs);
  ASSERT_EQ(decode.status, Status::kOk) << decode.message;
  EXPECT_EQ(decode.returned, call(c.problem.to_problem(), c.inputs).returned);
}

TEST(Attention, DecodeWeighsItsSplitsByTheirMaxima) {
  // All but key 100, which is in the second split, have weights that vanish beside it.
  Prefill c = prefill({0, 1}, {0, 150}, 96);
  c.inputs["q"] = f32_tensor({1, 4, 96}, {1.0F});
  c.inputs["k"] = f32_tensor({150, 2, 96}, {0.0F});
  for (float& value : c.inputs["k"].as<float>().subspan(100 * 2 * 96, 2 * 96)) value = 16.0F;
  Prefill d = paged(c, {150});
  const auto out = values_of(call(d.problem.to_problem(), d.inputs).returned.at("out"));
  const auto v = values_of(c.inputs.at("v"));
  for (int c0 = 0; c0 < 4 * 96; ++c0) {
    EXPECT_EQ(out[c0], v[(100 * 2 + c0 / (2 * 96)) * 96 + c0 % 96]) << c0;
  }
}

TEST(Attention, DecodeGivesTheSameBitsInWavesOfBothSizesAndInEveryBatch) {
  Prefill c = prefill({0, 1, 2, 3}, {0, 67, 67, 217}, 96);
  c.problem.softcap = 5.0;
  Prefill d = paged(c, {67, 0, 150});
  const Answer decode = call(d.problem.to_problem(), d.inputs);
  ASSERT_EQ(decode.status, Status::kOk) << decode.message;
  EXPECT_EQ(decode.returned, call(d.problem.to_problem(), d.inputs, 32).returned);
  Prefill alone = prefill({0, 1}, {0, 67}, 96);
  alone.problem.softcap = 5.0;
  Prefill first = paged(alone, {67});
  const auto batch = values_of(decode.returned.at("out"));
  EXPECT_EQ(values_of(call(first.problem.to_problem(), first.inputs).returned.at("out")),
            (std::vector<float>{batch.begin(), batch.begin() + 4 * 96}));
}

TEST(Attention, EveryOutModeGivesTheSameBits) {
  Prefill c = prefill({0, 5}, {0, 9}, 24);
  const Answer absent = call(c.problem.to_problem(), c.inputs);
  for (const OutMode mode : {OutMode::kInPlace, OutMode::kCopied}) {
    c.problem.out_mode = mode;
    Tensors outputs = {{"out", f32_tensor({5, 4, 24}, {kNan})}};
    const Answer answer = make_embedded({})->run(c.problem.to_problem(), test::views_of(c.inputs),
                                                 test::views_of(outputs));
    ASSERT_EQ(answer.status, Status::kOk) << answer.message;
    EXPECT_EQ(answer.wrote_in_place, std::vector<std::string>{"out"});
    EXPECT_EQ(outputs.at("out"), absent.returned.at("out"));
    EXPECT_EQ(answer.returned.at("lse"), absent.returned.at("lse"));
  }
}

}  // namespace
}  // namespace plumbline::device
