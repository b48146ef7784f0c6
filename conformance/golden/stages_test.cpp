#include <gtest/gtest.h>

#include <filesystem>

#include "conformance/golden/testing.h"

/// Stages of quantised expert layers: each is held to the one before it, and the first that is
/// wrong is named.
namespace plumbline::golden {
namespace {

constexpr const char* kInt8 = "moe_w8a8_int8_normal_cut.safetensors";
constexpr const char* kFp8 = "moe_fp8_block128_heavy_cut.safetensors";

/// A stage as a tensor of the file and as a finding.
struct StageName {
  const char* tensor;
  const char* thing;
};
constexpr StageName kStages[] = {
    {"device.x_scale", "stage.x_scale"},  {"device.x_quantized", "stage.x_quantized"},
    {"device.gemm1", "stage.gemm1"},      {"device.activation", "stage.activation"},
    {"device.weighted", "stage.experts"}, {"device.silu_fp32", "stage.out"}};

/// Whole layers, where they are there: they hold results, too.
std::vector<std::string> whole_layers() {
  std::vector<std::string> files;
  const auto folder =
      std::filesystem::path(PLUMBLINE_SOURCE_DIR) / "../shared/golden/device_outputs";
  for (const char* name : {"moe_w8a8_int8_normal", "moe_w8a8_int8_heavy", "moe_fp8_block128_normal",
                           "moe_fp8_block128_heavy"}) {
    const auto path = folder / (std::string(name) + ".safetensors");
    if (std::filesystem::exists(path)) files.push_back(path.string());
  }
  return files;
}

std::vector<std::string> all_layers() {
  std::vector<std::string> files = whole_layers();
  files.push_back(golden_file(kInt8));
  files.push_back(golden_file(kFp8));
  return files;
}

/// The first finding that is not a pass, in the order of the layer; empty: there is none.
std::string first_rejected(const FileResult& result) {
  for (const Finding& finding : result.findings) {
    if (finding.judgement.verdict != Verdict::kPass) return finding.thing;
  }
  return "";
}

void expect_rejected_at_its_stage(const std::string& path, const StageName& stage,
                                  std::int64_t step) {
  Safetensors damaged = read_safetensors(path);
  const auto found = damaged.tensors.find(stage.tensor);
  if (found == damaged.tensors.end()) return;
  const std::int64_t at = largest_element(found->second);
  add_to_code(found->second, at, step);
  const FileResult judged = check_content(damaged);
  EXPECT_EQ(first_rejected(judged), stage.thing) << path << " " << step << judged.error;
  const Finding finding = finding_of(judged, stage.thing);
  EXPECT_EQ(finding.judgement.verdict, Verdict::kFail);
  ASSERT_FALSE(finding.judgement.worst.empty());
  EXPECT_EQ(finding.judgement.worst.front().position,
            judge::position_of(at, found->second.spec.shape));
  EXPECT_EQ(exit_of(judged), 1);
}

TEST(Stages, OneStepOfTheLargestElementIsRejectedAtItsStage) {
  for (const std::string& path : all_layers()) {
    for (const StageName& stage : kStages) {
      for (const std::int64_t step : {1, -1}) expect_rejected_at_its_stage(path, stage, step);
    }
  }
}

TEST(Stages, AreAllJudgedUnderThePromiseOfTheirResult) {
  for (const char* name : {kInt8, kFp8}) {
    const FileResult result = check_file(golden_file(name), std::nullopt);
    ASSERT_EQ(result.findings.size(), 5U) << result.error;
    for (const Finding& finding : result.findings) {
      EXPECT_EQ(finding.judgement.verdict, Verdict::kPass) << finding.judgement.reason;
      EXPECT_EQ(finding.judgement.lane, "staged");
      EXPECT_EQ(finding.profile, name == kInt8 ? "stages_int8_triton" : "stages_fp8_triton");
    }
  }
}

TEST(Stages, OfAWholeLayerLeadToTheResultWhoseActivationTheyRound) {
  for (const std::string& path : whole_layers()) {
    const FileResult result = check_file(path, std::nullopt);
    EXPECT_EQ(finding_of(result, "stage.out").judgement.verdict, Verdict::kPass);
    EXPECT_EQ(finding_of(result, "stage.out").profile,
              finding_of(result, "device.silu_fp32").profile);
    EXPECT_NE(finding_of(result, "stage.out").profile,
              finding_of(result, "device.act_and_mul_triton").profile);
  }
}

TEST(Stages, UnderTheNeighboursPromiseTheActivationIsWrong) {
  for (const char* name : {kInt8, kFp8}) {
    Safetensors content = read_safetensors(golden_file(name));
    content.metadata["stages_of"] = "act_and_mul_triton";
    EXPECT_EQ(first_rejected(check_content(content)), "stage.activation") << name;
  }
}

TEST(Stages, UnderAnotherArithmeticTheQuantisationIsWrong) {
  Safetensors content = read_safetensors(golden_file(kInt8));
  content.metadata["profile"] = R"({"silu_fp32": {"accumulator": "int32"}})";
  EXPECT_EQ(first_rejected(check_content(content)), "stage.x_scale");
  content.metadata["profile"] = R"({"silu_fp32": {"accumulator": "int32",
      "quant_scale": "reciprocal", "quant_quotient": "approximate_amax"}})";
  EXPECT_EQ(first_rejected(check_content(content)), "") << "a fast division leaves ties open";
  content.metadata["profile"] = R"({"silu_fp32": {"accumulator": "int32",
      "quant_scale": "reciprocal", "quant_quotient": "divide"}})";
  EXPECT_EQ(first_rejected(check_content(content)), "stage.x_quantized");
}

TEST(Stages, WhoseStageBeforeIsMissingAreNotOffered) {
  Safetensors content = read_safetensors(golden_file(kInt8));
  content.tensors.erase("device.activation");
  content.tensors.erase("device.x_scale");
  const FileResult result = check_content(content);
  EXPECT_EQ(finding_of(result, "stage.gemm1").judgement.verdict, Verdict::kNotOffered);
  EXPECT_EQ(finding_of(result, "stage.experts").judgement.verdict, Verdict::kNotOffered);
  EXPECT_EQ(exit_of(result), 0);
}

TEST(Stages, OfAPlainLayerAreJudgedAlike) {
  Safetensors content = read_safetensors(golden_file("moe_gpt_oss_bfloat16_heavy.safetensors"));
  const TensorSpec& ids = content.tensors.at("topk_ids").spec;
  TensorSpec spec = content.tensors.at("x").spec;
  spec.shape = {ids.elements(), content.tensors.at("w13").spec.shape[1]};
  content.tensors["device.gemm1"] = Tensor::zeros(spec);
  EXPECT_EQ(first_rejected(check_content(content)), "stage.gemm1");
}

TEST(Stages, OfAnotherTypeOrShapeOrNameAreRefused) {
  const Safetensors whole = read_safetensors(golden_file(kInt8));
  Safetensors content = whole;
  content.tensors.at("device.gemm1").spec.shape = {
      1, content.tensors.at("device.gemm1").spec.elements()};
  EXPECT_NE(check_content(content).error.find("device.gemm1"), std::string::npos);
  content = whole;
  content.tensors["device.x_scale"] = content.tensors.at("device.x_quantized");
  EXPECT_NE(check_content(content).error.find("device.x_scale"), std::string::npos);
  content = whole;
  content.metadata["stages_of"] = "gemm1";
  EXPECT_NE(check_content(content).error.find("stages_of"), std::string::npos);
  content = whole;
  content.tensors.erase("w13_scale");
  EXPECT_NE(check_content(content).error.find("w13_scale"), std::string::npos);
  content = read_safetensors(golden_file("moe_gpt_oss_bfloat16_heavy.safetensors"));
  content.tensors["device.x_scale"] = whole.tensors.at("device.x_scale");
  EXPECT_NE(check_content(content).error.find("states no scheme"), std::string::npos);
}

void expect_damage_is_seen(const Safetensors& whole, const std::string& thing) {
  const std::int64_t at = largest_element(whole.tensors.at(thing));
  for (const std::int64_t step : {16, -16}) {
    Safetensors damaged = whole;
    add_to_code(damaged.tensors.at(thing), at, step);
    EXPECT_EQ(finding_of(check_content(damaged), thing).judgement.verdict, Verdict::kFail) << step;
  }
  Safetensors damaged = whole;
  Tensor& tensor = damaged.tensors.at(thing);
  swap_rows(tensor, at / tensor.spec.shape.back(), other_row(tensor, at));
  EXPECT_EQ(finding_of(check_content(damaged), thing).judgement.verdict, Verdict::kFail) << "rows";
}

TEST(Stages, ResultsOfWholeLayersHoldAgainstDamage) {
  for (const std::string& path : whole_layers()) {
    const Safetensors whole = read_safetensors(path);
    for (const char* thing : {"device.silu_fp32", "device.act_and_mul_triton"}) {
      SCOPED_TRACE(path + " " + thing);
      expect_damage_is_seen(whole, thing);
    }
  }
}

}  // namespace
}  // namespace plumbline::golden
