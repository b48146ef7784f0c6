#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "conformance/golden/safetensors.h"
#include "conformance/golden/testing.h"
#include "reference/formats/codec.h"

/// Metadata and tensors that contradict each other: one line with file, place and rule, exit 2.
namespace plumbline::golden {
namespace {

constexpr const char* kMoe = "mixtral.safetensors";
constexpr const char* kAttention = "sliding_5_0.safetensors";
constexpr const char* kGemm = "gemm_fp8_heavy_16x32x2880.safetensors";

struct Breach {
  const char* name;
  const char* file;
  std::function<void(Safetensors&)> apply;
  const char* place;  ///< what the line must name
};

std::function<void(Safetensors&)> set(const char* key, const char* value) {
  return [=](Safetensors& content) { content.metadata[key] = value; };
}
std::function<void(Safetensors&)> unset(const char* key) {
  return [=](Safetensors& content) { content.metadata.erase(key); };
}
std::function<void(Safetensors&)> drop(const char* tensor) {
  return [=](Safetensors& content) { content.tensors.erase(tensor); };
}
std::function<void(Safetensors&)> reshape(const char* tensor,
                                          const std::vector<std::int64_t>& shape,
                                          DType dtype = DType::kF32) {
  return [=](Safetensors& content) {
    TensorSpec spec;
    spec.dtype = dtype;
    spec.shape = shape;
    content.tensors[tensor] = Tensor::zeros(spec);
  };
}
/// Replaces a text inside the routing metadata.
std::function<void(Safetensors&)> reroute(const std::string& from, const std::string& to) {
  return [=](Safetensors& content) {
    std::string& routing = content.metadata.at("routing");
    const std::size_t at = routing.find(from);
    ASSERT_NE(at, std::string::npos) << routing;
    routing.replace(at, from.size(), to);
  };
}
std::function<void(Safetensors&)> set_id(std::int32_t id) {
  return [=](Safetensors& content) { content.tensors.at("topk_ids").as<std::int32_t>()[5] = id; };
}

std::vector<Breach> general_breaches() {
  return {{"no kind", kMoe, unset("kind"), "metadata kind: is missing"},
          {"unknown kind", kMoe, set("kind", "conv"), "unknown kind \"conv\""},
          {"sizes without bytes", kAttention, reshape("spare", {1 << 15, 1 << 15, 0}),
           "tensor \"spare\": is empty"},
          {"nothing to judge", kAttention,
           [](Safetensors& content) {
             content.tensors.erase("expected.out");
             content.tensors.erase("expected.lse");
           },
           "nothing to judge"}};
}

std::vector<Breach> moe_breaches() {
  return {
      {"no x", kMoe, drop("x"), "tensor \"x\": is missing"},
      {"no weights", kMoe, drop("w13"), "tensor \"w13\": is missing"},
      {"no ids", kMoe, drop("topk_ids"), "tensor \"topk_ids\": is missing"},
      {"no logits", kMoe, drop("router_logits"), "tensor \"router_logits\": is missing"},
      {"top_k", kMoe, reroute("\"top_k\": 4", "\"top_k\": 3"), "routing.top_k"},
      {"negative id", kMoe, set_id(-1), "topk_ids\": [1, 1] is -1"},
      {"id out of range", kMoe, set_id(16), "topk_ids\": [1, 1] is 16"},
      {"experts of w13", kMoe, reshape("w13", {15, 48, 32}), "w13\": has 15 experts"},
      {"rows of w13", kMoe, reshape("w13", {16, 24, 32}), "tensor \"w13\": has shape"},
      {"experts of the logits", kMoe, reshape("router_logits", {13, 18}), "scores 18 experts"},
      {"tokens of the ids", kMoe, reshape("topk_ids", {12, 4}, DType::kI32),
       "topk_ids\": has shape"},
      {"ids of a float type", kMoe, reshape("topk_ids", {13, 4}), "must be int32 or int64"},
      {"activation not JSON", kMoe, set("activation", "silu"), "metadata activation: is not JSON"},
      {"unknown activation", kMoe, set("activation", R"({"type": "tanh"})"), "activation.type"},
      {"negative limit", kMoe, set("activation", R"({"type": "swiglu_oai", "limit": -7})"),
       "activation.limit"},
      {"unknown scoring", kMoe, reroute("\"none\"", "\"best\""), "routing.scoring"},
      {"groups", kMoe, reroute("\"n_group\": 1", "\"n_group\": 3"), "routing.n_group"},
      {"no groups", kMoe, reroute("\"n_group\": 1", "\"n_group\": 0"), "routing.n_group"},
      {"scaling is text", kMoe,
       reroute("\"routed_scaling_factor\": 1.0", "\"routed_scaling_factor\": \"much\""),
       "routing.routed_scaling_factor"},
      {"bias is missing", kMoe, reroute("\"selection_bias\": false", "\"selection_bias\": true"),
       "tensor \"correction_bias\": is missing"},
      {"one bias only", kMoe, reshape("w2_bias", {16, 32}), "w13_bias"},
      {"expected of another shape", kMoe, reshape("expected.out", {13, 31}, DType::kF64),
       "expected.out\": has shape"},
      {"expected in float32", kMoe, reshape("expected.out", {13, 32}), "must be float64"},
      {"device of another shape", kMoe, reshape("device.mine", {32, 13}), "device.mine"},
      {"dtype", kMoe, set("dtype", "bfloat16"), "metadata dtype"},
  };
}

std::vector<Breach> attention_breaches() {
  return {
      {"B", kAttention, set("B", "2"), "metadata B: is 2"},
      {"Hq", kAttention, set("Hq", "3"), "metadata Hq"},
      {"Hk", kAttention, set("Hk", "4"), "metadata Hk"},
      {"Sq", kAttention, set("Sq", "8"), "metadata Sq"},
      {"Sk", kAttention, set("Sk", "7"), "metadata Sk"},
      {"D", kAttention, set("D", "-32"), "metadata D: must be an integer"},
      {"scale is text", kAttention, set("scale", "small"),
       "metadata scale: must be a finite number"},
      {"scale is nan", kAttention, set("scale", "nan"), "metadata scale: must be a finite number"},
      {"no scale", kAttention, unset("scale"), "metadata scale: is missing"},
      {"no mask", kAttention, unset("mask"), "metadata mask: is missing"},
      {"unknown mask", kAttention, set("mask", "checkerboard"), "unknown mask \"checkerboard\""},
      {"no window", kAttention, unset("window"), "metadata window: is missing"},
      {"another window", kAttention, set("window", "6"), "metadata window: is 6, but mask says 5"},
      {"window of none", kAttention, set("mask", "none"), "metadata window: is set"},
      {"causal is text", kAttention, set("causal", "yes"), "metadata causal"},
      {"causal contradicts", kAttention, set("causal", "false"), "metadata causal: contradicts"},
      {"softcap", kAttention, set("softcap", "-5"), "metadata softcap"},
      {"sinks named", "sinks_causal_0.safetensors", drop("sinks"), "names sinks"},
      {"sinks of another shape", kAttention, reshape("sinks", {5}), "tensor \"sinks\""},
      {"heads do not divide", kAttention,
       [](Safetensors& content) {
         content.metadata.erase("Hk");
         reshape("k", {1, 3, 23, 32})(content);
         reshape("v", {1, 3, 23, 32})(content);
       },
       "tensor \"k\": has 3 heads"},
      {"v shorter than k", kAttention, reshape("v", {1, 1, 22, 32}), "tensor \"v\": has shape"},
      {"v of another type", kAttention, reshape("v", {1, 1, 23, 32}, DType::kF16), "tensor \"v\""},
      {"q of rank 3", kAttention, reshape("q", {4, 7, 32}), "tensor \"q\": must have 4 dimensions"},
      {"lse of another shape", kAttention, reshape("expected.lse", {4, 7}, DType::kF64),
       "expected.lse\": has shape"},
  };
}

std::vector<Breach> gemm_breaches() {
  return {
      {"k differs", kGemm, reshape("b", {32, 2879}, DType::kE4m3fn), "tensor \"b\": has shape"},
      {"types differ", kGemm, reshape("b", {32, 2880}, DType::kE5m2), "tensor \"b\": is"},
      {"no scales", kGemm,
       [](Safetensors& content) {
         content.tensors.erase("scale_a");
         content.tensors.erase("scale_b");
       },
       "metadata op"},
      {"one scale", kGemm, drop("scale_b"), "tensor \"scale_b\": is missing"},
      {"scale of another shape", kGemm, reshape("scale_a", {1, 16}), "tensor \"scale_a\""},
      {"scale of integers", kGemm, reshape("scale_a", {16, 1}, DType::kI32), "must be a float"},
      {"unknown out_dtype", kGemm, set("out_dtype", "float99"), "unknown dtype \"float99\""},
      {"another out_dtype", kGemm, set("out_dtype", "float32"), "device.fast_accum"},
      {"no out_dtype", kGemm, unset("out_dtype"), "metadata out_dtype: is missing"},
      {"integer profile of floats", kGemm,
       set("profile", R"({"precise": {"accumulator": "int32"}})"), "adds integers only"},
      {"unknown profile key", kGemm, set("profile", R"({"precise": {"speed": 1}})"),
       "profile.precise.speed"},
      {"profile of no result", kGemm, set("profile", R"({"mine": {}})"),
       "there is no tensor device.mine"},
      {"profile not JSON", kGemm, set("profile", "fast"), "metadata profile: is not JSON"},
  };
}

void expect_all_refused(const std::vector<Breach>& breaches) {
  for (const Breach& breach : breaches) {
    Safetensors content = read_safetensors(golden_file(breach.file));
    breach.apply(content);
    const FileResult result = check_content(content);
    EXPECT_EQ(exit_of(result), 2) << breach.name << "\n" << to_text(result);
    EXPECT_EQ(result.error.find("case.safetensors: "), 0U) << breach.name << ": " << result.error;
    EXPECT_NE(result.error.find(breach.place), std::string::npos)
        << breach.name << ": " << result.error;
    EXPECT_EQ(result.error.find('\n'), std::string::npos) << breach.name;
  }
}

TEST(BadInput, FilesThatStateNothingAreNamed) { expect_all_refused(general_breaches()); }
TEST(BadInput, MoeContradictionsAreNamed) { expect_all_refused(moe_breaches()); }
TEST(BadInput, AttentionContradictionsAreNamed) { expect_all_refused(attention_breaches()); }
TEST(BadInput, GemmContradictionsAreNamed) { expect_all_refused(gemm_breaches()); }

TEST(BadInput, AFormatsFileWithoutAListOrWithAnEmptyOneIsNamed) {
  const std::vector<std::byte> bytes = read_file(golden_file("formats.json"));
  const auto whole =
      nlohmann::json::parse(reinterpret_cast<const char*>(bytes.data()),
                            reinterpret_cast<const char*>(bytes.data()) + bytes.size());
  const auto error_of = [](const nlohmann::json& json) {
    const std::string text = json.dump();
    return check_bytes(std::as_bytes(std::span(text)), "a.json", std::nullopt).error;
  };
  nlohmann::json wide = whole;
  wide.erase("float32_to_bfloat16");
  EXPECT_EQ(error_of(wide), "a.json: float32_to_bfloat16: must be an array");
  nlohmann::json narrow = whole;
  narrow["formats"]["float8_e5m2"]["encode"] = nlohmann::json::array();
  EXPECT_EQ(error_of(narrow).find("a.json: formats.float8_e5m2.encode: must hold at least one"),
            0U);
}

TEST(BadInput, ForeignJsonIsNamed) {
  for (const std::string text : {"{}", "[]", "{\"formats\": 3}", "{\"formats\": {\"float7\": {}}}",
                                 "{\"formats\": {\"float8_e5m2\": {\"decode_f32_bits\": [1]}}}"}) {
    const auto result = check_bytes(std::as_bytes(std::span(text)), "a.json", std::nullopt);
    EXPECT_EQ(exit_of(result), 2) << text;
    EXPECT_EQ(result.error.find("a.json: "), 0U) << result.error;
  }
}

}  // namespace
}  // namespace plumbline::golden
