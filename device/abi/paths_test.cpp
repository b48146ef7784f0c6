#include <gtest/gtest.h>

#include "device/abi/plain_layer.h"
#include "device/faults/fault.h"
#include "device/hip/host/runtime.h"
#include "device/kernels/buffer.h"
#include "device/moe/dispatch.h"

namespace plumbline::device {
namespace {

using test::call;
using test::Layer;
using test::layer_of;
using test::ragged;
using test::relative_error;

constexpr double kE4m3Step = 0x1p-4;
constexpr double kI8Step = 1.0 / 127.0;

double step_of(const ExpertsProblem& p) {
  return p.quant == "w8a8_int8" ? 2 * kI8Step : 2 * kE4m3Step;
}

/// Runs on that path, close to plain arithmetic, with the same bits on waves of 64 and of 32.
void expect_plain(Layer r, const std::string& path) {
  const Problem problem = r.problem.to_problem();
  const Answer answer = call(problem, r.inputs);
  ASSERT_EQ(answer.status, Status::kOk) << answer.message;
  EXPECT_EQ(answer.path, path);
  EXPECT_LE(relative_error(r, answer), step_of(r.problem)) << problem.text();
  EXPECT_EQ(answer.returned, call(problem, r.inputs, 32).returned) << problem.text();
}

TEST(Triton, ChannelQuantsAgreeWithPlainArithmetic) {
  for (const char* activation : {"silu", "relu2", "swiglu:1.702:1:7"}) {
    for (const char* quant : {"w8a8_int8", "w8a8_fp8_channel"}) {
      Layer r = ragged(quant, activation);
      expect_plain(r, "triton/" + r.problem.quant);
      r.problem.has_bias = true;
      r.inputs["w13_bias"] = test::bf16_tensor({5, r.problem.w13_rows()}, test::mixed(701, 5));
      r.inputs["w2_bias"] = test::bf16_tensor({5, 131}, test::mixed(655, 6));
      expect_plain(r, "triton/" + r.problem.quant);
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

/// A layer of a lightop path; FP8 takes sizes that its panels take.
Layer lightop_layer(const std::string& quant, const std::string& activation,
                    const std::string& pack = "plain", WeightOn weight_on = WeightOn::kOutput) {
  ExpertsProblem p;
  p.backend = "lightop";
  p.quant = quant;
  p.activation = *Activation::from(activation);
  p.pack = pack;
  p.weight_on = weight_on;
  p.scale = 1.5;
  p.t = 37;
  p.h = quant == "w8a8_int8" ? 131 : 160;
  p.i = quant == "w8a8_int8" ? 70 : 80;
  p.e = 5;
  p.k = 3;
  return layer_of(p);
}

TEST(Lightop, AgreesWithPlainArithmeticOnEveryBranch) {
  for (const char* activation : {"silu", "relu2", "swiglu:1.702:1:7", "swiglu:1:0:none"}) {
    for (const WeightOn where : {WeightOn::kOutput, WeightOn::kInput}) {
      expect_plain(lightop_layer("w8a8_int8", activation, "plain", where), "lightop/w8a8_int8");
      expect_plain(lightop_layer("w8a8_int8", activation, "kpack2", where),
                   "lightop/w8a8_int8_kpack2");
      expect_plain(lightop_layer("w8a8_fp8_channel", activation, "plain", where),
                   "lightop/w8a8_fp8_channel");
    }
  }
}

TEST(Lightop, BothPacksGiveTheSameBits) {
  Layer plain = lightop_layer("w8a8_int8", "silu");
  Layer pairs = lightop_layer("w8a8_int8", "silu", "kpack2");
  EXPECT_EQ(call(plain.problem.to_problem(), plain.inputs).returned,
            call(pairs.problem.to_problem(), pairs.inputs).returned);
}

TEST(Lightop, SlotsWithoutExpertAddNothing) {
  Layer r = lightop_layer("w8a8_int8", "silu");
  auto ids = r.inputs["topk_ids"].as<std::int32_t>();
  for (std::size_t slot = 0; slot < ids.size(); slot += 2) ids[slot] = -1;
  EXPECT_LE(relative_error(r, call(r.problem.to_problem(), r.inputs)), step_of(r.problem));
  for (std::int32_t& id : ids) id = -1;
  const Answer none = call(r.problem.to_problem(), r.inputs);
  ASSERT_EQ(none.status, Status::kOk) << none.message;
  for (const float value : test::values_of(none.returned.at("out"))) EXPECT_EQ(value, 0.0F);
}

TEST(Lightop, NoTokensGiveAnEmptyResult) {
  ExpertsProblem p = lightop_layer("w8a8_int8", "silu").problem;
  p.t = 0;
  Layer r = layer_of(p);
  const Answer answer = call(p.to_problem(), r.inputs);
  ASSERT_EQ(answer.status, Status::kOk) << answer.message;
  EXPECT_EQ(answer.returned.at("out").spec.shape, (std::vector<std::int64_t>{0, p.h}));
}

TEST(Lightop, Fp8RefusesSizesThatItsPanelsDoNotTake) {
  for (const auto& [h, i] : {std::pair{144, 80}, std::pair{160, 72}}) {
    ExpertsProblem p = lightop_layer("w8a8_fp8_channel", "silu").problem;
    p.h = h;
    p.i = i;
    Layer r = layer_of(p);
    EXPECT_EQ(call(p.to_problem(), r.inputs).status, Status::kShape);
  }
}

/// The layer's result with one thread order and that many barriers in the permutation.
Answer permuted_with(hipx::Order order, void (*edit)(LightopPlan&)) {
  Layer r = lightop_layer("w8a8_int8", "silu");
  hipx::Settings settings = hipx::default_settings();
  settings.order = order;
  settings.print = false;
  hipx::set_settings(settings);
  const Fault fault{.info = {}, .lightop = edit};
  Answer answer;
  answer.returned["out"] = Tensor::zeros({DType::kBf16, {r.problem.t, r.problem.h}});
  const TensorViews inputs = test::views_of(r.inputs);
  try {
    const ExpertPath& path = select_path(r.problem);
    path.run({r.problem, pack_for(path, r.problem, inputs, nullptr), inputs, &fault, 64,
              answer.returned["out"].data.data()});
  } catch (const DeviceError& error) {
    static_cast<void>(hipDeviceReset());
    answer.message = error.what();
  }
  hipx::set_settings(hipx::default_settings());
  return answer;
}

TEST(Lightop, AMissingBarrierShowsInAnotherOrderOfTheThreads) {
  const auto correct = [](LightopPlan&) {};
  const auto faulty = [](LightopPlan& plan) { plan.permute.barriers = 1; };
  const Tensors wanted = permuted_with(hipx::Order::kForward, correct).returned;
  EXPECT_EQ(wanted, permuted_with(hipx::Order::kReverse, correct).returned);
  EXPECT_EQ(wanted, permuted_with(hipx::Order::kForward, faulty).returned);
  EXPECT_NE(wanted, permuted_with(hipx::Order::kReverse, faulty).returned);
}

Layer trtllm_layer(const std::string& activation) {
  ExpertsProblem p;
  p.backend = "flashinfer_trtllm_routed";
  p.quant = "fp8_block128";
  p.activation = *Activation::from(activation);
  p.scale = 0.5;
  p.t = 21;
  p.h = 200;
  p.i = 256;
  p.e = 4;
  p.k = 2;
  return layer_of(p);
}

TEST(Trtllm, AgreesWithPlainArithmetic) {
  for (const char* activation : {"silu", "swiglu:1.702:1:7", "swiglu:1:0:none"}) {
    Layer r = trtllm_layer(activation);
    const Answer answer = call(r.problem.to_problem(), r.inputs);
    ASSERT_EQ(answer.status, Status::kOk) << answer.message;
    EXPECT_EQ(answer.path, "flashinfer_trtllm_routed/fp8_block128");
    EXPECT_LE(relative_error(r, answer), 2 * kE4m3Step);
    EXPECT_EQ(answer.returned, call(r.problem.to_problem(), r.inputs, 32).returned);
  }
}

TEST(Trtllm, IdentityExpertsAndEmptySlotsCountAsTheyShould) {
  Layer r = trtllm_layer("silu");
  r.problem.z = 1;
  auto ids = r.inputs["topk_ids"].as<std::int32_t>();
  for (std::size_t slot = 0; slot < ids.size(); slot += 2) ids[slot] = slot % 4 == 0 ? -1 : 4;
  EXPECT_LE(relative_error(r, call(r.problem.to_problem(), r.inputs)), 2 * kE4m3Step);
}

TEST(Trtllm, RefusesBlocksThatWouldHoldGateAndUp) {
  ExpertsProblem p = trtllm_layer("silu").problem;
  p.i = 192;
  Layer r = layer_of(p);
  EXPECT_EQ(call(p.to_problem(), r.inputs).status, Status::kShape);
}

}  // namespace
}  // namespace plumbline::device
