#include "conformance/golden/check.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <string>

#include "conformance/golden/profile_json.h"
#include "conformance/golden/safetensors.h"
#include "conformance/golden/testing.h"
#include "reference/formats/codec.h"

namespace plumbline::golden {
namespace {

constexpr const char* kAttention = "attention_float16_normal_1x4x4x1x200x64.safetensors";
constexpr const char* kGemm = "gemm_bfloat16_heavy_16x32x2880.safetensors";

/// A tensor of the file under a device's name.
Safetensors with_device(const char* file, const std::string& from, const std::string& name) {
  Safetensors content = read_safetensors(golden_file(file));
  content.tensors["device." + name] = content.tensors.at("device." + from);
  return content;
}

TEST(Check, AcceptsEveryGoldenFileThatTheProjectCarries) {
  EXPECT_GE(all_golden_files().size(), 18U);
  for (const std::string& path : all_golden_files()) {
    const FileResult result = check_file(path, std::nullopt);
    EXPECT_EQ(exit_of(result), 0) << result.error << to_text(result);
    for (const Finding& finding : result.findings) {
      EXPECT_EQ(finding.judgement.verdict, Verdict::kPass) << path << " " << finding.thing;
    }
  }
}

TEST(Check, AcceptsAllOfTheSharedGoldenFilesWhereTheyAreThere) {
  const std::filesystem::path shared =
      std::filesystem::path(PLUMBLINE_SOURCE_DIR) / ".." / "shared" / "golden";
  if (!std::filesystem::exists(shared)) GTEST_SKIP() << "no ../shared/golden here";
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(shared)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".safetensors" && extension != ".json") continue;
    const FileResult result = check_file(entry.path(), std::nullopt);
    EXPECT_EQ(exit_of(result), 0) << result.error << to_text(result);
    for (const Finding& finding : result.findings) {
      EXPECT_EQ(finding.judgement.verdict, Verdict::kPass) << entry.path() << " " << finding.thing;
    }
    ++files;
  }
  EXPECT_GT(files, 0);
}

TEST(Check, ASchemeWithoutAReferenceIsNotOffered) {
  Safetensors content = read_safetensors(golden_file("moe_gpt_oss_bfloat16_heavy.safetensors"));
  content.metadata["scheme"] = "mxfp4";
  const FileResult result = check_content(content);
  ASSERT_EQ(result.findings.size(), 1U) << result.error;
  EXPECT_EQ(result.findings[0].judgement.verdict, Verdict::kNotOffered);
  EXPECT_NE(result.findings[0].judgement.reason.find("no reference for scheme mxfp4"),
            std::string::npos);
  EXPECT_EQ(exit_of(result), 0);
}

TEST(Check, AnUnknownDeviceIsJudgedUnderTheTightestProfileThatAccepts) {
  EXPECT_EQ(
      finding_of(check_content(with_device(kAttention, "math", "mine")), "device.mine").profile,
      finding_of(check_content(with_device(kAttention, "math", "x")), "device.math").profile);
  const Safetensors flash =
      with_device("attention_bfloat16_heavy_1x1x1x128x128x96.safetensors", "flash", "mine");
  const FileResult result = check_content(flash);
  EXPECT_EQ(finding_of(result, "device.mine").judgement.verdict, Verdict::kPass);
  EXPECT_EQ(finding_of(result, "device.mine").profile, finding_of(result, "device.flash").profile);
  EXPECT_NE(to_text(result).find("profile "), std::string::npos);
}

TEST(Check, AnUnknownDeviceThatNoProfileAcceptsFails) {
  Safetensors content = with_device(kAttention, "flash", "mine");
  Tensor& tensor = content.tensors.at("device.mine");
  add_to_code(tensor, largest_element(tensor), 128);
  const Finding finding = finding_of(check_content(content), "device.mine");
  EXPECT_EQ(finding.judgement.verdict, Verdict::kFail);
  EXPECT_NE(finding.judgement.reason.find("none of"), std::string::npos);
}

TEST(Check, AStatedProfileIsTheOnlyOne) {
  Safetensors content =
      with_device("attention_bfloat16_heavy_1x1x1x128x128x96.safetensors", "flash", "mine");
  content.metadata["profile"] = R"({"mine": {"name": "promise", "probability": "fp32"}})";
  const Finding strict = finding_of(check_content(content), "device.mine");
  EXPECT_EQ(strict.judgement.verdict, Verdict::kFail);
  EXPECT_EQ(strict.profile, "promise");
  content.metadata["profile"] = R"({"mine": {"name": "promise", "probability": "io"}})";
  EXPECT_EQ(finding_of(check_content(content), "device.mine").judgement.verdict, Verdict::kPass);
}

TEST(Check, ResultsInFloat32OfExactInputsAreJudgedAsFloat32) {
  Safetensors content = read_safetensors(golden_file("full_0.safetensors"));
  TensorSpec spec = content.tensors.at("expected.out").spec;
  spec.dtype = DType::kF32;
  const std::vector<double> values = formats::decode(content.tensors.at("expected.out"));
  content.tensors["device.mine"] = formats::encode(spec, values);
  const FileResult result = check_content(content);
  EXPECT_EQ(finding_of(result, "device.mine").judgement.verdict, Verdict::kPass) << to_text(result);
  spec.dtype = DType::kBf16;
  content.tensors.at("q").as<float>()[0] = 1.0F + 0x1p-20F;
  content.tensors["device.mine"] = formats::encode(spec, values);
  EXPECT_NE(check_content(content).error.find("not exact"), std::string::npos);
}

TEST(Check, ExactFloat32ProductsOfSmallIntegersPass) {
  Safetensors content;
  content.metadata = {{"kind", "gemm"}, {"out_dtype", "float32"}};
  const auto tensor = [](std::vector<std::int64_t> shape, std::vector<double> values) {
    TensorSpec spec;
    spec.shape = std::move(shape);
    return formats::encode(spec, values);
  };
  content.tensors["a"] = tensor({2, 3}, {1, 2, 3, 4, 5, 6});
  content.tensors["b"] = tensor({1, 3}, {1, -1, 2});
  content.tensors["device.mine"] = tensor({2, 1}, {5, 11});
  const FileResult result = check_content(content);
  EXPECT_EQ(finding_of(result, "device.mine").judgement.verdict, Verdict::kPass) << result.error;
  content.tensors["device.mine"] = tensor({2, 1}, {5, 12});
  EXPECT_EQ(exit_of(check_content(content)), 1);
}

TEST(Check, NanAmongTheWeightsIsJudgedAndFlagged) {
  Safetensors content = read_safetensors(golden_file("mixtral.safetensors"));
  const auto ids = content.tensors.at("topk_ids").as<std::int32_t>();
  const auto w2 = content.tensors.at("w2").as<float>();
  w2[static_cast<std::size_t>(ids[0]) * 32 * 24] = std::numeric_limits<float>::quiet_NaN();
  const FileResult result = check_content(content);
  EXPECT_EQ(result.notes, std::vector<std::string>{"w2 holds 1 NaN"});
  EXPECT_EQ(finding_of(result, "expected.out").judgement.verdict, Verdict::kFail);
  EXPECT_NE(to_text(result).find("w2 holds 1 NaN"), std::string::npos);
}

TEST(Check, JsonHoldsEveryFindingAndEveryError) {
  const FileResult good = check_file(golden_file(kGemm), std::nullopt);
  const FileResult bad = check_file("no_such.safetensors", std::nullopt);
  const nlohmann::json array = to_json({good, bad});
  ASSERT_EQ(array.size(), good.findings.size() + 1);
  EXPECT_EQ(array[1]["thing"], "device.cublas");
  EXPECT_EQ(array[1]["verdict"], "pass");
  EXPECT_EQ(array.back()["error"], "no_such.safetensors: no such file");
  EXPECT_EQ(exit_of(bad), 2);
}

TEST(Check, EveryCutOfEveryKindIsRefusedInOneLine) {
  for (const char* name : {"mixtral.safetensors", "softcap_5_0.safetensors"}) {
    const std::vector<std::byte> whole = read_file(golden_file(name));
    for (std::size_t size = 1; size < whole.size(); size += 97) {
      const FileResult result = check_bytes(std::span(whole).first(size), "torn", std::nullopt);
      ASSERT_EQ(exit_of(result), 2) << name << " cut to " << size;
      EXPECT_EQ(result.error.find('\n'), std::string::npos);
    }
  }
}

TEST(Check, EveryCutOfAFormatsFileIsRefused) {
  const std::vector<std::byte> whole = read_file(golden_file("formats.json"));
  for (std::size_t size = 1; size < whole.size(); size += std::size_t{97} * 97) {
    const auto result = check_bytes(std::span(whole).first(size), "torn.json", std::nullopt);
    ASSERT_EQ(exit_of(result), 2) << "cut to " << size;
  }
}

TEST(Profiles, ReadBackWhatTheyPrint) {
  Profile profile;
  profile.name = "mine";
  profile.accumulator = Accumulator::kHopperFp8Fast;
  profile.rounding = ExpertRounding::kEveryOperation;
  profile.combine = Combine::kIoInExpertOrder;
  profile.probability = Probability::kIo;
  profile.activation_rounded_before_product = true;
  profile.quant = {ScaleDivision::kReciprocal, Quotient::kApproximateAmax, IntegerTies::kAway};
  EXPECT_EQ(profile_from_json(to_json(profile), "f", "profile"), profile);
}

TEST(Profiles, SayNothingOfQuantisationWhereItIsPlain) {
  EXPECT_FALSE(to_json(Profile{}).contains("quant_scale"));
  EXPECT_FALSE(to_json(Profile{}).contains("quant_quotient"));
  EXPECT_FALSE(to_json(Profile{}).contains("quant_ties"));
}

}  // namespace
}  // namespace plumbline::golden
