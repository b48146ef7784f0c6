#include <gtest/gtest.h>

#include <set>

#include "device/abi/samples.h"

namespace plumbline::device {
namespace {

TEST(Faults, ThereAreTenAtLeastAndEachIsNamedOnceAndConstructs) {
  const std::vector<FaultInfo> faults = all_faults();
  EXPECT_GE(faults.size(), 10U);
  std::set<std::string_view> names;
  for (const FaultInfo& fault : faults) {
    EXPECT_TRUE(names.insert(fault.name).second) << fault.name;
    EXPECT_FALSE(fault.mistake.empty() || fault.expected_lane.empty() || fault.pattern.empty());
    EXPECT_NE(make_embedded({64, std::string(fault.name)}), nullptr);
  }
}

TEST(Faults, AnUnknownNameOrWaveIsBadInput) {
  EXPECT_THROW(make_embedded({64, "no_such_fault"}), BadInput);
  EXPECT_THROW(make_embedded({48, ""}), BadInput);
}

struct Sample {
  Problem problem;
  Tensors inputs;
};

void add_layer(std::vector<Sample>& samples, ExpertsProblem p) {
  p.t = 37;
  p.e = 5;
  p.k = 3;
  samples.push_back({p.to_problem(), test::layer_of(p).inputs});
}

/// The backends with packers of their own; swiglu without a limit.
void add_packed_layers(std::vector<Sample>& samples) {
  ExpertsProblem p;
  p.activation = *Activation::from("swiglu:1.5:0.5:none");
  p.weight_on = WeightOn::kInput;
  p.h = 160;
  p.i = 80;
  p.backend = "lightop";
  p.quant = "w8a8_fp8_channel";
  add_layer(samples, p);
  p.quant = "w8a8_int8";
  p.pack = "kpack2";
  add_layer(samples, p);
  p = {};
  p.activation = *Activation::from("swiglu:1.5:0.5:none");
  p.backend = "flashinfer_trtllm_routed";
  p.quant = "fp8_block128";
  p.h = 160;
  p.i = 128;
  add_layer(samples, p);
}

void add_layers(std::vector<Sample>& samples) {
  for (const char* quant : {"bf16", "fp8_block128", "w8a8_int8"}) {
    const bool plain = std::string_view(quant) == "bf16";
    test::Layer layer = test::ragged(quant, plain ? "swiglu:1.702:1:2" : "swiglu:1:0:2");
    layer.problem.scale = 2.5;
    samples.push_back({layer.problem.to_problem(), layer.inputs});
  }
  add_packed_layers(samples);
}

void add_attention(std::vector<Sample>& samples) {
  for (const std::int32_t last : {24, 100}) {
    test::Prefill keys = test::prefill({0, 1, 2, 3}, {0, 13, 13, 13 + last}, 16);
    keys.problem.softcap = 1.0;
    const test::Prefill decode = test::paged(keys, {13, 0, last});
    samples.push_back({decode.problem.to_problem(), decode.inputs});
  }
  test::Prefill c = test::prefill({0, 20, 37}, {0, 20, 60}, 16);
  c.problem.has_sinks = true;
  c.inputs["sinks"] = test::f32_tensor({4}, {0.5F});
  samples.push_back({c.problem.to_problem(), c.inputs});
  c.problem.mask = Mask::kSliding;
  c.problem.w = 5;
  c.problem.out_mode = OutMode::kCopied;
  samples.push_back({c.problem.to_problem(), c.inputs});
}

std::vector<Sample> all_samples() {
  std::vector<Sample> samples;
  add_layers(samples);
  add_attention(samples);
  RouteProblem p;
  p.t = 64;
  p.k = 2;
  p.groups = 4;
  p.kept_groups = 2;
  p.has_bias = true;
  p.renormalize = true;
  samples.push_back({p.to_problem(),
                     {{"router_logits", test::f32_tensor({64, 8}, test::mixed(513, 1))},
                      {"correction_bias", test::f32_tensor({8}, test::mixed(8, 2))}}});
  return samples;
}

/// Everything a call leaves behind: what it returned, the caller's out, and its inputs.
std::vector<Tensors> traces(const std::string& fault, int wave = 64) {
  std::vector<Tensors> all;
  for (Sample& sample : all_samples()) {
    Tensors outputs;
    if (sample.problem.axis("out") == "copied") outputs["out"] = sample.inputs.at("q");
    const Answer answer =
        make_embedded({wave, fault})
            ->run(sample.problem, test::views_of(sample.inputs), test::views_of(outputs));
    // A device error names kernel, block and thread; the correct kernels have none.
    const bool named = answer.message.find("in kernel") != std::string::npos;
    EXPECT_TRUE(answer.status == Status::kOk || (named && !fault.empty())) << answer.message;
    all.insert(all.end(), {answer.returned, outputs, sample.inputs});
  }
  return all;
}

TEST(Faults, EachLeavesOtherBytesBehindThanTheCorrectKernels) {
  const std::vector<Tensors> correct = traces("");
  EXPECT_EQ(correct, traces(""));
  EXPECT_EQ(correct, traces("", 32));
  // Faults of the path chosen and of the life cycle leave the numbers as they are.
  const auto keeps_numbers = [](const FaultInfo& fault) {
    return fault.expected_lane == "contract" || fault.pattern.starts_with("moe.method") ||
           fault.pattern.starts_with("moe.identity");
  };
  for (const FaultInfo& fault : all_faults()) {
    if (keeps_numbers(fault)) continue;
    const int wave = fault.wave == 0 ? 64 : fault.wave;
    // Not EXPECT_NE: it would print every tensor.
    EXPECT_TRUE(correct != traces(std::string(fault.name), wave)) << fault.name;
  }
}

}  // namespace
}  // namespace plumbline::device
