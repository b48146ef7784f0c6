#include <gtest/gtest.h>

#include "device/abi/call.h"

namespace plumbline::device {
namespace {

using test::bf16_tensor;
using test::f32_tensor;
using test::i32_tensor;

struct Layer {
  ExpertsProblem problem;
  Tensors inputs;
};

Layer layer() {
  Layer l;
  l.problem.t = 1;
  l.problem.h = 4;
  l.problem.i = 2;
  l.problem.e = 2;
  l.problem.k = 1;
  l.inputs = {{"x", bf16_tensor({1, 4}, {1})},
              {"w13", bf16_tensor({2, 4, 4}, {1})},
              {"w2", bf16_tensor({2, 4, 2}, {1})},
              {"topk_ids", i32_tensor({1, 1}, {0})},
              {"topk_weights", f32_tensor({1, 1}, {1})}};
  return l;
}

/// The class and the text of the refusal; the caller's out must keep its bytes.
std::string refused(Layer& l, Status wanted) {
  Tensors outputs = {{"out", bf16_tensor({1, 4}, {-7})}};
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): written to through its view
  const Tensors before = outputs;
  const auto embedded = make_embedded({});
  const Answer answer =
      embedded->run(l.problem.to_problem(), test::views_of(l.inputs), test::views_of(outputs));
  EXPECT_EQ(answer.status, wanted) << answer.message;
  EXPECT_EQ(outputs, before);
  const auto early = embedded->refuses(l.problem.to_problem(), test::views_of(l.inputs));
  EXPECT_TRUE(early && early->status == wanted);
  return answer.message;
}

TEST(Refusal, WhatIsNotOfferedIsUnsupported) {
  Layer l = layer();
  l.problem.backend = "marlin";
  EXPECT_NE(refused(l, Status::kUnsupported).find("marlin/bf16"), std::string::npos);
  l = layer();
  l.problem.ownership = "borrower_trtllm";
  refused(l, Status::kUnsupported);
  l = layer();
  l.inputs["topk_ids"] = i32_tensor({1, 1}, {2});
  EXPECT_NE(refused(l, Status::kUnsupported).find("topk_ids has 2"), std::string::npos);
}

TEST(Refusal, EachBreachOfATensorHasItsClassAndNamesIt) {
  Layer l = layer();
  l.inputs.erase("w2");
  EXPECT_NE(refused(l, Status::kMissing).find("w2"), std::string::npos);
  l = layer();
  l.inputs["w13_scale"] = f32_tensor({2, 1, 1}, {1});
  EXPECT_NE(refused(l, Status::kUnexpected).find("w13_scale"), std::string::npos);
  l = layer();
  l.inputs["x"] = f32_tensor({1, 4}, {1});
  EXPECT_NE(refused(l, Status::kDtype).find("x is f32 [1, 4]"), std::string::npos);
  l = layer();
  l.inputs["w13"] = bf16_tensor({2, 4, 5}, {1});
  EXPECT_NE(refused(l, Status::kShape).find("w13 is bf16 [2, 4, 5]"), std::string::npos);
  l = layer();
  l.inputs["w2"].spec.layout = Layout::kColumnMajor;
  EXPECT_NE(refused(l, Status::kLayout).find("w2"), std::string::npos);
}

TEST(Refusal, AttentionRefusesPagesAndOffsetsThatDoNotFit) {
  AttentionProblem p;
  p.decode = true;
  p.hq = 1;
  p.hkv = 1;
  p.d = 8;
  p.sq = 1;
  p.sk = 32;
  Tensors inputs = {{"q", bf16_tensor({1, 1, 8}, {1})},
                    {"k_cache", bf16_tensor({2, 16, 1, 8}, {1})},
                    {"v_cache", bf16_tensor({2, 16, 1, 8}, {1})},
                    {"block_table", i32_tensor({1, 2}, {1, -1})},
                    {"seq_lens", i32_tensor({1}, {16})}};
  const auto embedded = make_embedded({});
  EXPECT_FALSE(embedded->refuses(p.to_problem(), test::views_of(inputs)));
  inputs["seq_lens"] = i32_tensor({1}, {17});
  EXPECT_TRUE(embedded->refuses(p.to_problem(), test::views_of(inputs)));
  inputs["seq_lens"] = i32_tensor({1}, {33});
  EXPECT_TRUE(embedded->refuses(p.to_problem(), test::views_of(inputs)));
}

TEST(Refusal, OutIsGivenExactlyWhereTheModeSaysSo) {
  AttentionProblem p;
  p.hq = 1;
  p.hkv = 1;
  p.d = 8;
  p.sq = 1;
  p.sk = 1;
  Tensors inputs = {{"q", bf16_tensor({1, 1, 8}, {1})},
                    {"k", bf16_tensor({1, 1, 8}, {1})},
                    {"v", bf16_tensor({1, 1, 8}, {1})},
                    {"cu_q", i32_tensor({2}, {0, 1})},
                    {"cu_k", i32_tensor({2}, {0, 1})}};
  Tensors outputs = {{"out", bf16_tensor({1, 1, 8}, {0})}};
  const auto embedded = make_embedded({});
  EXPECT_EQ(embedded->run(p.to_problem(), test::views_of(inputs), test::views_of(outputs)).status,
            Status::kUnexpected);
  p.out_mode = OutMode::kCopied;
  EXPECT_EQ(embedded->run(p.to_problem(), test::views_of(inputs), {}).status, Status::kMissing);
}

TEST(Manifest, ClaimsExactlyTheOfferedPaths) {
  const auto embedded = make_embedded({});
  const Manifest& manifest = embedded->manifest();
  ExpertsProblem p;
  p.activation = *Activation::from("swiglu:1.702:1:7");
  ASSERT_NE(manifest.path_for(p.to_problem()), nullptr);
  EXPECT_EQ(manifest.path_for(p.to_problem())->name, "triton/bf16");
  p.quant = "fp8_block128";
  EXPECT_EQ(manifest.path_for(p.to_problem())->name, "triton/fp8_block128");
  p.quant = "mxfp4";
  EXPECT_EQ(manifest.path_for(p.to_problem()), nullptr);
  p = ExpertsProblem{};
  p.ownership = "borrower_trtllm";
  EXPECT_EQ(manifest.path_for(p.to_problem()), nullptr);
}

}  // namespace
}  // namespace plumbline::device
