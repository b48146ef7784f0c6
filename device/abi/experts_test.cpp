#include <gtest/gtest.h>

#include <algorithm>

#include "device/abi/samples.h"

namespace plumbline::device {
namespace {

using test::bf16_tensor;
using test::call;
using test::f32_tensor;
using test::i32_tensor;
using test::Layer;
using test::ragged;
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

double e4m3_value(std::uint8_t code) {
  const int exponent = (code >> 3) & 15;
  const int mantissa = code & 7;
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, exponent - 10);
  return code & 0x80 ? -magnitude : magnitude;
}

/// The layer in double without any rounding; weights dequantised by definition.
std::vector<double> plain_layer(const Layer& r) {
  const ExpertsProblem& p = r.problem;
  const bool fp8 = p.quant != "bf16";
  const auto weight = [&](const char* name, std::int64_t expert, std::int64_t row, std::int64_t c) {
    const Tensor& w = r.inputs.at(name);
    const std::int64_t rows = w.spec.shape[1];
    const std::int64_t columns = w.spec.shape[2];
    const std::int64_t index = (expert * rows + row) * columns + c;
    if (!fp8) return static_cast<double>(test::bf16_value(w.as<std::uint16_t>()[index]));
    const Tensor& s = r.inputs.at(std::string(name) + "_scale");
    const std::int64_t block = (expert * s.spec.shape[1] + row / 128) * s.spec.shape[2] + c / 128;
    return e4m3_value(w.as<std::uint8_t>()[index]) * s.as<float>()[block];
  };
  const auto x = values_of(r.inputs.at("x"));
  std::vector<double> out(p.t * p.h);
  for (std::int64_t slot = 0; slot < p.t * p.k; ++slot) {
    const std::int64_t token = slot / p.k;
    const std::int64_t expert = r.inputs.at("topk_ids").as<std::int32_t>()[slot];
    const double router = r.inputs.at("topk_weights").as<float>()[slot];
    std::vector<double> hidden(p.i);
    for (std::int64_t c = 0; c < p.i; ++c) {
      double gate = 0.0;
      double up = 0.0;
      for (std::int64_t j = 0; j < p.h; ++j) {
        gate += x[token * p.h + j] * weight("w13", expert, c, j);
        up += x[token * p.h + j] * weight("w13", expert, p.i + c, j);
      }
      const double limit = p.activation.limit;
      if (limit > 0.0) {
        gate = std::min(gate, limit);
        up = std::clamp(up, -limit, limit);
      }
      hidden[c] = gate / (1.0 + std::exp(-p.activation.alpha * gate)) * (up + p.activation.beta);
    }
    for (std::int64_t j = 0; j < p.h; ++j) {
      double sum = 0.0;
      for (std::int64_t c = 0; c < p.i; ++c) sum += hidden[c] * weight("w2", expert, j, c);
      out[token * p.h + j] += router * sum;
    }
  }
  return out;
}

/// Root of the mean square of the error over that of the result; the judge proper is elsewhere.
double relative_error(const Layer& r, const Answer& answer) {
  const std::vector<double> wanted = plain_layer(r);
  const std::vector<float> got = values_of(answer.returned.at("out"));
  double error = 0.0;
  double size = 0.0;
  for (std::size_t c = 0; c < wanted.size(); ++c) {
    error += (got[c] - wanted[c]) * (got[c] - wanted[c]);
    size += wanted[c] * wanted[c];
  }
  return std::sqrt(error / size);
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
