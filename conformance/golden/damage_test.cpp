#include <gtest/gtest.h>

#include <string>

#include "conformance/golden/safetensors.h"
#include "conformance/golden/testing.h"

/// The damage that must be noticed: a judge that takes these results for right is useless.
namespace plumbline::golden {
namespace {

/// Files with device results for which a fine measure exists, and the devices judged by it.
struct Subject {
  const char* file;
  std::vector<std::string> devices;
};

std::vector<Subject> float_subjects() {
  return {{"gemm_bfloat16_heavy_16x32x2880.safetensors", {"cublas"}},
          {"attention_bfloat16_heavy_1x1x1x128x128x96.safetensors", {"flash", "cudnn", "math"}},
          {"attention_float16_normal_1x4x4x1x200x64.safetensors",
           {"flash", "cudnn", "efficient", "math"}},
          {"moe_gpt_oss_bfloat16_heavy.safetensors", {"eager", "batched_mm", "grouped_mm"}}};
}

/// 16 ulp of bf16 in steps of the code.
std::int64_t sixteen_bf16_ulp(DType dtype) {
  const int finer = format_of(dtype).mantissa_bits - format_of(DType::kBf16).mantissa_bits;
  return std::int64_t{16} << finer;
}

TEST(Damage, LargestElementOffBySixteenUlpIsRejected) {
  for (const Subject& subject : float_subjects()) {
    const Safetensors whole = read_safetensors(golden_file(subject.file));
    for (const std::string& device : subject.devices) {
      const std::string thing = "device." + device;
      const Tensor& result = whole.tensors.at(thing);
      const std::int64_t at = largest_element(result);
      for (const std::int64_t sign : {1, -1}) {
        Safetensors damaged = whole;
        add_to_code(damaged.tensors.at(thing), at, sign * sixteen_bf16_ulp(result.spec.dtype));
        const FileResult judged = check_content(damaged);
        const Finding finding = finding_of(judged, thing);
        EXPECT_EQ(finding.judgement.verdict, Verdict::kFail)
            << subject.file << " " << thing << " " << sign << ": " << finding.judgement.reason;
        EXPECT_EQ(exit_of(judged), 1);
        ASSERT_FALSE(finding.judgement.worst.empty());
        EXPECT_EQ(finding.judgement.worst.front().position,
                  judge::position_of(at, result.spec.shape));
      }
    }
  }
}

TEST(Damage, SwappedRowsAreRejected) {
  for (const Subject& subject : float_subjects()) {
    const Safetensors whole = read_safetensors(golden_file(subject.file));
    for (const std::string& device : subject.devices) {
      const std::string thing = "device." + device;
      const std::int64_t at = largest_element(whole.tensors.at(thing));
      const std::int64_t other = other_row(whole.tensors.at(thing), at);
      ASSERT_GE(other, 0);
      Safetensors damaged = whole;
      Tensor& tensor = damaged.tensors.at(thing);
      swap_rows(tensor, at / tensor.spec.shape.back(), other);
      EXPECT_EQ(finding_of(check_content(damaged), thing).judgement.verdict, Verdict::kFail)
          << subject.file << " " << thing;
    }
  }
}

TEST(Damage, AnyInt8ProductOffByOneIsRejected) {
  const Safetensors whole =
      read_safetensors(golden_file("gemm_int8_normal_33x128x1024.safetensors"));
  const std::int64_t elements = whole.tensors.at("device.cublas").spec.elements();
  for (const std::int64_t at : {std::int64_t{0}, elements / 2, elements - 1}) {
    for (const std::int64_t step : {1, -1}) {
      Safetensors damaged = whole;
      add_to_code(damaged.tensors.at("device.cublas"), at, step);
      const Finding finding = finding_of(check_content(damaged), "device.cublas");
      EXPECT_EQ(finding.judgement.verdict, Verdict::kFail) << "element " << at;
    }
  }
}

TEST(Damage, ResultsOfTheNeighbouringImplementationCountUnderItsOwnProfileOnly) {
  Safetensors content =
      read_safetensors(golden_file("attention_bfloat16_heavy_1x1x1x128x128x96.safetensors"));
  content.tensors["device.math"] = content.tensors.at("device.flash");
  EXPECT_EQ(finding_of(check_content(content), "device.math").judgement.verdict, Verdict::kFail);
}

TEST(Damage, GoldenValuesAreHeldToTheirLimits) {
  for (const char* name : {"mixtral.safetensors", "longcat_flash.safetensors",
                           "sinks_causal_0.safetensors", "sliding_5_0.safetensors"}) {
    Safetensors damaged = read_safetensors(golden_file(name));
    Tensor& expected = damaged.tensors.at("expected.out");
    // 2^-52 · 2^17 = 3e-11 of the largest element, thirty times the limit of 1e-12.
    add_to_code(expected, largest_element(expected), std::int64_t{1} << 17);
    EXPECT_EQ(finding_of(check_content(damaged), "expected.out").judgement.verdict, Verdict::kFail)
        << name;
  }
}

TEST(Damage, AnotherChoiceOfExpertsIsRejected) {
  Safetensors damaged = read_safetensors(golden_file("mixtral.safetensors"));
  const auto ids = damaged.tensors.at("topk_ids").as<std::int32_t>();
  std::int32_t other = 0;
  while (other == ids[0] || other == ids[1] || other == ids[2] || other == ids[3]) ++other;
  ids[0] = other;
  const Finding finding = finding_of(check_content(damaged), "routing");
  EXPECT_EQ(finding.judgement.verdict, Verdict::kFail);
  EXPECT_NE(finding.judgement.reason.find("token 0"), std::string::npos)
      << finding.judgement.reason;
}

TEST(Damage, ARepeatedExpertIsRejected) {
  Safetensors damaged = read_safetensors(golden_file("mixtral.safetensors"));
  const auto ids = damaged.tensors.at("topk_ids").as<std::int32_t>();
  ids[1] = ids[0];
  EXPECT_EQ(finding_of(check_content(damaged), "routing").judgement.verdict, Verdict::kFail);
}

TEST(Damage, MaskedGroupsAtZeroAreNotMinusInfinity) {
  Safetensors damaged = read_safetensors(golden_file("deepseek_v3_negative_bias.safetensors"));
  std::string& routing = damaged.metadata.at("routing");
  const std::size_t at = routing.find("\"-inf\"");
  ASSERT_NE(at, std::string::npos);
  routing.replace(at, 6, "0.0");
  EXPECT_EQ(finding_of(check_content(damaged), "routing").judgement.verdict, Verdict::kFail);
}

TEST(Damage, OneWrongCodeOfAFormatIsRejected) {
  const std::vector<std::byte> bytes = read_file(golden_file("formats.json"));
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t at = text.find("989855744");
  ASSERT_NE(at, std::string::npos);
  text[at + 8] = '5';
  const FileResult judged = check_bytes(std::as_bytes(std::span(text)), "formats.json", {});
  EXPECT_EQ(exit_of(judged), 1);
}

}  // namespace
}  // namespace plumbline::golden
