#include "reference/contract/method_model.h"

#include <gtest/gtest.h>

namespace plumbline::contract {
namespace {

constexpr auto kEveryKernel = [](std::string_view) { return true; };

MethodProblem on(std::string backend, std::string ownership, std::string calls) {
  MethodProblem p;
  p.layer.backend = std::move(backend);
  p.layer.quant = "fp8_block128";
  p.layer.activation = {Activation::Kind::kSwiglu, 1.5, 1.0, 0.0};
  p.ownership = std::move(ownership);
  p.calls = std::move(calls);
  return p;
}

MethodExpectation after(const MethodProblem& problem) {
  MethodModel model(problem, kEveryKernel);
  MethodExpectation last;
  for (const std::string& word : problem.call_words()) last = model.call(word);
  return last;
}

TEST(MethodModel, AnOwnerOnTrtllmWritesWhatTheConfigHasAndNoMore) {
  const auto last = after(on("flashinfer_trtllm", "owner", "weights.runner.load.process"));
  EXPECT_EQ(last.parameters, (ActivationParameters{1.5, 1.0, std::nullopt}));
}

TEST(MethodModel, ABorrowerAndAnOwnerOnHpcOpsWriteNone) {
  for (const char* ownership : {"borrower_trtllm", "borrower_humming"}) {
    const auto last = after(on("flashinfer_trtllm", ownership, "weights.runner.load.process"));
    EXPECT_TRUE(last.accepted());
    EXPECT_FALSE(last.owns);
    EXPECT_EQ(last.parameters, ActivationParameters{});
  }
  const auto last = after(on("hpc_ops", "owner", "weights.runner.load.process"));
  EXPECT_TRUE(last.owns);
  EXPECT_EQ(last.parameters, ActivationParameters{});
}

TEST(MethodModel, ReCreationAsNonOwnerLeavesNoParameters) {
  const auto last = after(on("flashinfer_trtllm", "recreated_empty", "standard"));
  EXPECT_EQ(last.admissible.front(), Status::kState);
  EXPECT_FALSE(last.owns);
  EXPECT_EQ(last.parameters, ActivationParameters{});
}

TEST(MethodModel, ASwitchChangedBeforeProcessingMakesApplyRefuse) {
  const auto last =
      after(on("triton", "owner", "weights.runner.load.switch:deep_gemm.process.apply"));
  EXPECT_EQ(last.admissible.front(), Status::kState);
  const auto late =
      after(on("triton", "owner", "weights.runner.load.process.switch:deep_gemm.apply"));
  EXPECT_TRUE(late.accepted());
}

}  // namespace
}  // namespace plumbline::contract
