#include <gtest/gtest.h>

#include "device/abi/plain_layer.h"

namespace plumbline::device {
namespace {

using test::call;
using test::Layer;
using test::layer_of;
using test::ragged;
using test::relative_error;

constexpr double kE4m3Step = 0x1p-4;
constexpr double kI8Step = 1.0 / 127.0;

TEST(Triton, ChannelQuantsAgreeWithPlainArithmetic) {
  for (const char* activation : {"silu", "relu2", "swiglu:1.702:1:7"}) {
    for (const bool biased : {false, true}) {
      for (const char* quant : {"w8a8_int8", "w8a8_fp8_channel"}) {
        Layer r = ragged(quant, activation);
        r.problem.has_bias = biased;
        if (biased) {
          r.inputs["w13_bias"] = test::bf16_tensor({5, r.problem.w13_rows()}, test::mixed(701, 5));
          r.inputs["w2_bias"] = test::bf16_tensor({5, 131}, test::mixed(655, 6));
        }
        const Answer answer = call(r.problem.to_problem(), r.inputs);
        ASSERT_EQ(answer.status, Status::kOk) << answer.message;
        EXPECT_EQ(answer.path, "triton/" + r.problem.quant);
        const double step = r.problem.quant == "w8a8_int8" ? 2 * kI8Step : 2 * kE4m3Step;
        EXPECT_LE(relative_error(r, answer), step) << r.problem.to_problem().text();
        EXPECT_EQ(answer.returned, call(r.problem.to_problem(), r.inputs, 32).returned);
      }
    }
  }
}

TEST(Triton, IntegersAreSummedExactly) {
  // 65 · 127² − 64 · 127² with 2²⁴ passed on the way: a float sum would lose the ones.
  ExpertsProblem p;
  p.quant = "w8a8_int8";
  p.activation.kind = Activation::Kind::kRelu2;
  p.t = 1;
  p.h = 4097;
  p.i = 1;
  p.e = 1;
  p.k = 1;
  Layer r;
  r.problem = p;
  std::vector<float> x(4097, 127.0F);
  std::vector<std::int8_t> w(4097, 127);
  for (int c = 2048; c < 4096; ++c) w[c] = -127;
  x[4096] = 1.0F;
  w[4096] = 1;
  const std::vector<std::int8_t> down(4097, 127);
  r.inputs = {{"x", test::bf16_tensor({1, 4097}, x)},
              {"w13", test::plain_tensor<std::int8_t>(DType::kI8, {1, 1, 4097}, w)},
              {"w2", test::plain_tensor<std::int8_t>(DType::kI8, {1, 4097, 1}, down)},
              {"w13_scale", test::f32_tensor({1, 1}, {1})},
              {"w2_scale", test::f32_tensor({1, 4097}, {1})},
              {"topk_ids", test::i32_tensor({1, 1}, {0})},
              {"topk_weights", test::f32_tensor({1, 1}, {1})}};
  const Answer answer = call(r.problem.to_problem(), r.inputs);
  ASSERT_EQ(answer.status, Status::kOk) << answer.message;
  EXPECT_EQ(test::values_of(answer.returned.at("out"))[0], 127.0F);
}

}  // namespace
}  // namespace plumbline::device
