#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "device/abi/call.h"

namespace plumbline::device {
namespace {

using test::call;
using test::f32_tensor;
using test::i32_tensor;
using test::mixed;
using test::values_of;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// A prefill of f32 sequences with the given lengths.
struct Prefill {
  AttentionProblem problem;
  Tensors inputs;
};

Prefill prefill(const std::vector<std::int32_t>& cu_q, const std::vector<std::int32_t>& cu_k,
                std::int64_t d) {
  Prefill c;
  AttentionProblem& p = c.problem;
  p.io = DType::kF32;
  p.b = static_cast<std::int64_t>(cu_q.size()) - 1;
  p.hq = 4;
  p.hkv = 2;
  p.d = d;
  const std::int64_t tq = cu_q.back();
  const std::int64_t tk = cu_k.back();
  c.inputs = {{"q", f32_tensor({tq, 4, d}, mixed(tq * 4 * d + 1, 1))},
              {"k", f32_tensor({tk, 2, d}, mixed(tk * 2 * d + 1, 2))},
              {"v", f32_tensor({tk, 2, d}, mixed(tk * 2 * d + 1, 3))},
              {"cu_q", i32_tensor({p.b + 1}, cu_q)},
              {"cu_k", i32_tensor({p.b + 1}, cu_k)}};
  return c;
}

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

/// A paged decode whose pages hold the keys of `prefill`; unused slots hold NaN.
Prefill paged(const Prefill& c, const std::vector<std::int32_t>& lengths) {
  Prefill d;
  AttentionProblem& p = d.problem;
  p = c.problem;
  p.decode = true;
  p.sq = 1;
  p.sk = 24;
  p.page = 8;
  const std::int64_t row = p.hkv * p.d;
  const std::int64_t total = 3 * p.b + 1;
  std::vector<std::int32_t> table(3 * p.b, -1);
  std::vector<float> k(total * p.page * row, kNan);
  std::vector<float> v = k;
  const auto k_in = values_of(c.inputs.at("k"));
  const auto v_in = values_of(c.inputs.at("v"));
  std::int64_t key = 0;
  for (std::int64_t s = 0; s < p.b; ++s) {
    for (std::int64_t j = 0; j < lengths[s]; ++j, ++key) {
      const std::int64_t page = (s * 3 + j / p.page) * 3 % total;
      table[s * 3 + j / p.page] = static_cast<std::int32_t>(page);
      for (std::int64_t e = 0; e < row; ++e) {
        k[(page * p.page + j % p.page) * row + e] = k_in[key * row + e];
        v[(page * p.page + j % p.page) * row + e] = v_in[key * row + e];
      }
    }
  }
  d.inputs = {{"q", c.inputs.at("q")},
              {"k_cache", f32_tensor({total, p.page, p.hkv, p.d}, k)},
              {"v_cache", f32_tensor({total, p.page, p.hkv, p.d}, v)},
              {"block_table", i32_tensor({p.b, 3}, table)},
              {"seq_lens", i32_tensor({p.b}, lengths)}};
  return d;
}

TEST(Attention, PagedDecodeAgreesWithPrefillBitForBit) {
  Prefill c = prefill({0, 1, 2, 3}, {0, 13, 13, 37}, 96);
  c.problem.softcap = 5.0;
  Prefill d = paged(c, {13, 0, 24});
  const Answer decode = call(d.problem.to_problem(), d.inputs);
  ASSERT_EQ(decode.status, Status::kOk) << decode.message;
  EXPECT_EQ(decode.returned, call(c.problem.to_problem(), c.inputs).returned);
  EXPECT_EQ(decode.returned, call(d.problem.to_problem(), d.inputs, 32).returned);
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
