#include <array>
#include <charconv>

#include "conformance/golden/kinds.h"

namespace plumbline::golden {
namespace {

constexpr std::string_view kSinkSuffix = ", with one sink logit per head";

/// "… and each query sees itself and the 15 keys before it": 16; nullopt: another text.
std::optional<std::int64_t> window_in_words(std::string_view mask) {
  constexpr std::string_view kBefore = "causal and each query sees itself and the ";
  constexpr std::string_view kAfter = " keys before it";
  if (!mask.starts_with(kBefore) || !mask.ends_with(kAfter)) return std::nullopt;
  mask.remove_prefix(kBefore.size());
  std::int64_t keys = 0;
  const auto [stop, error] = std::from_chars(mask.data(), mask.data() + mask.size(), keys);
  const bool ends_there = stop == mask.data() + mask.size() - kAfter.size();
  if (error != std::errc() || !ends_there || keys < 0) return std::nullopt;
  return keys + 1;
}

Mask mask_in_words(const CaseFile& file, std::string_view mask, std::int64_t window) {
  if (mask == "none" || mask == "full") return Mask::kFull;
  if (mask == "causal, aligned bottom right" || mask == "causal") return Mask::kCausal;
  const std::optional<std::int64_t> stated = window_in_words(mask);
  if (!stated && mask != "as sliding" && mask != "sliding") {
    file.refuse_key("mask", "unknown mask " + shown(std::string(mask)) +
                                "; known: none, causal, sliding and the texts of casefile.md");
  }
  if (window == 0) file.refuse_key("window", "is missing; a sliding mask needs it");
  if (stated && *stated != window) {
    file.refuse_key("window",
                    "is " + std::to_string(window) + ", but mask says " + std::to_string(*stated));
  }
  return Mask::kSliding;
}

void read_mask(const CaseFile& file, AttentionCase& attention) {
  const std::optional<std::int64_t> window = file.count("window");
  if (window && *window == 0) file.refuse_key("window", "must be at least 1");
  attention.window = window.value_or(0);
  const std::optional<bool> causal = file.flag("causal");
  std::optional<std::string> mask = file.text("mask");
  if (!mask && !causal) {
    file.refuse_key("mask", "is missing, and so is causal; one of them must say what is visible");
  }
  if (mask) {
    std::string_view words = *mask;
    if (words.ends_with(kSinkSuffix)) {
      if (!attention.has_sinks) file.refuse_key("mask", "names sinks; there is no tensor sinks");
      words.remove_suffix(kSinkSuffix.size());
    }
    attention.mask = mask_in_words(file, words, attention.window);
  } else if (attention.window > 0) {
    attention.mask = Mask::kSliding;
  } else {
    attention.mask = *causal ? Mask::kCausal : Mask::kFull;
  }
  attention.top_left = causal.value_or(false);
  if (mask && causal && *causal != (attention.mask != Mask::kFull)) {
    file.refuse_key("causal", "contradicts mask " + shown(*mask));
  }
  if (attention.mask != Mask::kSliding && attention.window > 0) {
    file.refuse_key("window", "is set, but the mask is not sliding");
  }
}

void read_shapes(const CaseFile& file, AttentionCase& attention) {
  const Tensor& q = file.require("q", 4);
  const Tensor& k = file.require("k", 4);
  const Tensor& v = file.require("v", 4);
  attention.b = q.spec.shape[0];
  attention.hq = q.spec.shape[1];
  attention.sq = q.spec.shape[2];
  attention.d = q.spec.shape[3];
  attention.hk = k.spec.shape[1];
  attention.sk = k.spec.shape[2];
  attention.dv = v.spec.shape[3];
  file.require_shape("k", {attention.b, attention.hk, attention.sk, attention.d}, "B and D of q");
  file.require_shape("v", {attention.b, attention.hk, attention.sk, attention.dv},
                     "B, Hk and Sk of k");
  if (attention.hk == 0 || attention.hq % attention.hk != 0) {
    file.refuse_tensor("k", "has " + std::to_string(attention.hk) + " heads, which must divide " +
                                std::to_string(attention.hq) + " heads of q");
  }
  attention.io = q.spec.dtype;
  for (const char* name : {"q", "k", "v"}) {
    const TensorSpec& spec = file.find(name)->spec;
    if (spec.dtype != attention.io || !format_of(spec.dtype).is_float()) {
      file.refuse_tensor(name, "is " + spec.text() + "; q, k and v must be one float type");
    }
  }
}

void check_stated(const CaseFile& file, const AttentionCase& attention) {
  check_count(file, "B", attention.b, "q");
  check_count(file, "Hq", attention.hq, "q");
  check_count(file, "Sq", attention.sq, "q");
  check_count(file, "D", attention.d, "q");
  check_count(file, "Hk", attention.hk, "k");
  check_count(file, "Sk", attention.sk, "k");
  const std::optional<std::string> word = file.text("dtype");
  if (word && dtype_from_metadata(*word) != attention.io) {
    file.refuse_key("dtype",
                    "is " + shown(*word) + ", but tensor q is " + file.find("q")->spec.text());
  }
}

}  // namespace

AttentionCase attention_case(const CaseFile& file) {
  AttentionCase attention;
  read_shapes(file, attention);
  check_stated(file, attention);
  const std::optional<double> scale = file.number("scale");
  if (!scale) file.refuse_key("scale", "is missing");
  attention.scale = *scale;
  attention.softcap = file.number("softcap").value_or(0.0);
  if (attention.softcap < 0 || (file.text("softcap") && attention.softcap == 0)) {
    file.refuse_key("softcap", "must be above 0");
  }
  attention.has_sinks = file.find("sinks") != nullptr;
  if (attention.has_sinks) {
    const Tensor& sinks = file.require_shape("sinks", {attention.hq}, "the heads of q");
    if (!format_of(sinks.spec.dtype).is_float()) file.refuse_tensor("sinks", "must be a float");
  }
  read_mask(file, attention);
  return attention;
}

}  // namespace plumbline::golden
