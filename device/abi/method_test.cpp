#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "device/abi/samples.h"

namespace plumbline::device {
namespace {

test::Layer sample(const std::string& backend, const std::string& quant) {
  ExpertsProblem p;
  p.backend = backend;
  p.quant = quant;
  p.activation = *Activation::from("swiglu:1.702:1:7");
  p.t = 5;
  p.h = p.i = 128;
  p.e = 4;
  p.k = 2;
  return test::layer_of(p);
}

/// Rows [first, first + rows) of an expert.
Tensor rows_of(const Tensor& whole, std::int64_t expert, std::int64_t first, std::int64_t rows) {
  TensorSpec spec = whole.spec;
  spec.shape.erase(spec.shape.begin());
  spec.shape[0] = rows;
  Tensor part = Tensor::zeros(spec);
  const std::int64_t all = whole.spec.shape[1];
  const std::int64_t bytes = whole.spec.bytes() / (whole.spec.shape[0] * all);
  std::copy_n(whole.data.begin() + (expert * all + first) * bytes, rows * bytes, part.data.begin());
  return part;
}

void load(Method& method, const std::string& name, std::int64_t expert, Tensor tensor) {
  const Answer answer = method.load(name, expert, {tensor.spec, tensor.data.data()});
  ASSERT_EQ(answer.status, Status::kOk) << name << ": " << answer.message;
}

void load_split(Method& method, const test::Layer& layer) {
  for (std::int64_t expert = 0; expert < layer.problem.e; ++expert) {
    for (const std::string scale : {"", "_scale"}) {
      const auto w13 = layer.inputs.find("w13" + scale);
      if (w13 == layer.inputs.end()) continue;
      const std::int64_t half = w13->second.spec.shape[1] / 2;
      const Tensor& w2 = layer.inputs.at("w2" + scale);
      load(method, "w1" + scale, expert, rows_of(w13->second, expert, 0, half));
      load(method, "w3" + scale, expert, rows_of(w13->second, expert, half, half));
      load(method, "w2" + scale, expert, rows_of(w2, expert, 0, w2.spec.shape[1]));
    }
  }
}

/// The switch, put back.
class OnBackend {
 public:
  OnBackend(Implementation& implementation, const std::string& backend)
      : implementation_(implementation) {
    implementation.set_switch("runner_backend", backend);
  }
  OnBackend(const OnBackend&) = delete;
  OnBackend& operator=(const OnBackend&) = delete;
  ~OnBackend() { implementation_.set_switch("runner_backend", "auto"); }

 private:
  Implementation& implementation_;
};

class OwnedLayer : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(OwnedLayer, GivesTheBitsOfRun) {
  const auto embedded = make_embedded({});
  const OnBackend on(*embedded, GetParam().first);
  test::Layer layer = sample(GetParam().first, GetParam().second);
  const Problem problem = layer.problem.to_problem();
  const auto method = embedded->make_method(layer.problem.quant, "direct");
  ASSERT_EQ(method->create_weights(problem).status, Status::kOk);
  ASSERT_EQ(method->create_runner(problem).status, Status::kOk);
  load_split(*method, layer);
  ASSERT_EQ(method->process_weights().status, Status::kOk);

  Tensors routing, outputs;
  for (const char* name : {"x", "topk_ids", "topk_weights"}) routing[name] = layer.inputs.at(name);
  outputs["out"] = Tensor::zeros(layer.inputs.at("x").spec);
  const Answer applied = method->apply(problem, test::views_of(routing), test::views_of(outputs));
  ASSERT_EQ(applied.status, Status::kOk) << applied.message;
  const Answer ran = embedded->run(problem, test::views_of(layer.inputs), {});
  ASSERT_EQ(ran.status, Status::kOk) << ran.message;
  EXPECT_EQ(applied.path, ran.path);
  EXPECT_EQ(outputs.at("out").data, ran.returned.at("out").data);
}

INSTANTIATE_TEST_SUITE_P(
    EveryPath, OwnedLayer,
    testing::Values(std::pair("triton", "bf16"), std::pair("triton", "fp8_block128"),
                    std::pair("triton", "w8a8_int8"), std::pair("triton", "w8a8_fp8_channel"),
                    std::pair("lightop", "w8a8_int8"), std::pair("lightop", "w8a8_fp8_channel"),
                    std::pair("flashinfer_trtllm_routed", "fp8_block128")));

TEST(LightopLibrary, IsAskedAtConstructionAndDisturbsNobodyElse) {
  const auto embedded = make_embedded({});
  for (const auto& [library, quant, refused] :
       {std::tuple("absent", "w8a8_int8", true), std::tuple("absent", "w8a8_fp8_channel", true),
        std::tuple("missing_symbol", "w8a8_fp8_channel", true),
        std::tuple("missing_symbol", "w8a8_int8", false)}) {
    embedded->set_switch("lightop_library", library);
    for (const char* backend : {"lightop", "triton"}) {
      const OnBackend on(*embedded, backend);
      const auto method = embedded->make_method(quant, "direct");
      const Answer answer = method->create_runner(sample(backend, quant).problem.to_problem());
      const bool must_refuse = refused && std::string(backend) == "lightop";
      EXPECT_EQ(answer.status, must_refuse ? Status::kUnsupported : Status::kOk) << answer.message;
      EXPECT_EQ(method->query().owns_runner, !must_refuse);
    }
    embedded->set_switch("lightop_library", "present");
  }
}

TEST(PredicateOnTheWrongType, RunsTritonInSilenceWithTheRightNumbers) {
  const auto correct = make_embedded({});
  const auto faulty = make_embedded({64, "predicate_on_the_wrong_type"});
  test::Layer on_lightop = sample("lightop", "w8a8_int8");
  test::Layer on_triton = sample("triton", "w8a8_int8");
  const TensorViews inputs = test::views_of(on_lightop.inputs);
  const Answer wrong = faulty->run(on_lightop.problem.to_problem(), inputs, {});
  const Answer right = correct->run(on_lightop.problem.to_problem(), inputs, {});
  const Answer triton = correct->run(on_triton.problem.to_problem(), inputs, {});
  EXPECT_EQ(right.path, "lightop/w8a8_int8");
  EXPECT_EQ(wrong.path, "triton/w8a8_int8");
  EXPECT_EQ(wrong.returned, triton.returned);
}

}  // namespace
}  // namespace plumbline::device
