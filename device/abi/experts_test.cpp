#include <gtest/gtest.h>

#include "device/abi/plain_layer.h"

namespace plumbline::device {
namespace {

using test::bf16_tensor;
using test::call;
using test::f32_tensor;
using test::i32_tensor;
using test::Layer;
using test::ragged;
using test::relative_error;
using test::values_of;

/// Two experts of one hidden unit each over h = 2; relu2, so that every step is exact:
/// expert 0: h1 = max(x0 + x1, 0)², out = (h1, 2·h1); expert 1: h1 = max(x0 − x1, 0)²,
/// out = (−h1, h1).
Layer tiny() {
  Layer tiny;
  ExpertsProblem& p = tiny.problem;
  p.activation.kind = Activation::Kind::kRelu2;
  p.t = 2;
  p.h = 2;
  p.i = 1;
  p.e = 2;
  p.k = 2;
  tiny.inputs = {{"x", bf16_tensor({2, 2}, {1, 2, 3, 1})},
                 {"w13", bf16_tensor({2, 1, 2}, {1, 1, 1, -1})},
                 {"w2", bf16_tensor({2, 2, 1}, {1, 2, -1, 1})},
                 {"topk_ids", i32_tensor({2, 2}, {0, 1, 1, 0})},
                 {"topk_weights", f32_tensor({2, 2}, {0.5, 0.25, 0.5, 2})}};
  return tiny;
}

TEST(Experts, TwoTokensThroughTwoExpertsByHand) {
  Layer t = tiny();
  const Answer answer = call(t.problem.to_problem(), t.inputs);
  ASSERT_EQ(answer.status, Status::kOk) << answer.message;
  EXPECT_EQ(answer.path, "triton/bf16");
  // Token 0: expert 0 gives 9·(1, 2)·0.5, expert 1 gives 0. Token 1: expert 1 gives 4·(−1, 1)·0.5,
  // expert 0 gives 16·(1, 2)·2.
  EXPECT_EQ(values_of(answer.returned.at("out")), (std::vector<float>{4.5, 9, 30, 66}));
}

TEST(Experts, AnIdOfMinusOneAddsNothing) {
  Layer t = tiny();
  t.inputs["topk_ids"] = i32_tensor({2, 2}, {-1, -1, -1, 0});
  EXPECT_EQ(values_of(call(t.problem.to_problem(), t.inputs).returned.at("out")),
            (std::vector<float>{0, 0, 32, 64}));
}

TEST(Experts, AnIdentityExpertReturnsItsToken) {
  Layer t = tiny();
  t.problem.z = 1;
  t.inputs["topk_ids"] = i32_tensor({2, 2}, {2, -1, 2, 0});
  EXPECT_EQ(values_of(call(t.problem.to_problem(), t.inputs).returned.at("out")),
            (std::vector<float>{0.5, 1, 33.5, 64.5}));
}

TEST(Experts, BiasesAreAddedBeforeTheRouterWeightAndTheScaleOnceAfterTheSum) {
  Layer t = tiny();
  t.problem.has_bias = true;
  t.problem.scale = 2.0;
  t.inputs["w13_bias"] = bf16_tensor({2, 1}, {-1, 1});
  t.inputs["w2_bias"] = bf16_tensor({2, 2}, {1, 0, 0, 4});
  // Token 0: 0.5·(4 + 1, 8) + 0.25·(0, 4); token 1: 0.5·(−9, 9 + 4) + 2·(9 + 1, 18).
  EXPECT_EQ(values_of(call(t.problem.to_problem(), t.inputs).returned.at("out")),
            (std::vector<float>{5, 10, 31, 85}));
}

TEST(Experts, NoTokensGiveAnEmptyResult) {
  Layer t = tiny();
  t.problem.t = 0;
  t.inputs["x"] = bf16_tensor({0, 2}, {0});
  t.inputs["topk_ids"] = i32_tensor({0, 2}, {0});
  t.inputs["topk_weights"] = f32_tensor({0, 2}, {0});
  const Answer answer = call(t.problem.to_problem(), t.inputs);
  ASSERT_EQ(answer.status, Status::kOk) << answer.message;
  EXPECT_EQ(answer.returned.at("out").spec.shape, (std::vector<std::int64_t>{0, 2}));
}

TEST(Experts, RaggedLayersAgreeWithPlainArithmetic) {
  // A unit roundoff of the narrowest format a value passes through, and something for five stages.
  const double bf16 = std::ldexp(1.0, -9);
  const double e4m3 = std::ldexp(1.0, -4);
  for (const char* activation : {"silu", "swiglu:1.702:1:7", "swiglu:1:0:none"}) {
    Layer plain = ragged("bf16", activation);
    EXPECT_LE(relative_error(plain, call(plain.problem.to_problem(), plain.inputs)), 5 * bf16);
    Layer fp8 = ragged("fp8_block128", activation);
    const Answer answer = call(fp8.problem.to_problem(), fp8.inputs);
    ASSERT_EQ(answer.status, Status::kOk) << answer.message;
    EXPECT_LE(relative_error(fp8, answer), 2 * e4m3);
  }
}

TEST(Experts, BothWavesGiveTheSameBits) {
  for (const char* quant : {"bf16", "fp8_block128"}) {
    Layer r = ragged(quant, "silu");
    const Problem problem = r.problem.to_problem();
    EXPECT_EQ(call(problem, r.inputs, 64).returned, call(problem, r.inputs, 32).returned);
  }
}

TEST(Experts, TheCallersBufferIsWrittenAndInputsAreNot) {
  Layer t = tiny();
  const Tensors before = t.inputs;
  Tensors outputs = {{"out", bf16_tensor({2, 2}, {-1})}};
  const Answer answer = make_embedded({})->run(t.problem.to_problem(), test::views_of(t.inputs),
                                               test::views_of(outputs));
  EXPECT_EQ(answer.wrote_in_place, std::vector<std::string>{"out"});
  EXPECT_EQ(values_of(outputs.at("out")), (std::vector<float>{4.5, 9, 30, 66}));
  EXPECT_EQ(t.inputs, before);
}

}  // namespace
}  // namespace plumbline::device
