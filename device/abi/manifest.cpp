#include "device/abi/manifest.h"

namespace plumbline::device {
namespace {

using Words = std::vector<std::string>;

/// fp32 sums, rounded to io where the stages of an expert layer end; softmax weights stay fp32.
Profile staged_profile() {
  Profile profile;
  profile.name = "fp32-stages";
  return profile;
}

OfferedPath experts_path(const std::string& quant) {
  OfferedPath path;
  path.name = "triton/" + quant;
  path.op = "moe.experts";
  path.axes = {{"backend", {"triton"}},  {"quant", {quant}},
               {"ownership", {"owner"}}, {"act", {"silu", "relu2", "swiglu:*"}},
               {"bias", {"no", "yes"}},  {"io", {"bf16"}}};
  path.profile = staged_profile();
  return path;
}

OfferedPath route_path() {
  OfferedPath path;
  path.name = "route";
  path.op = "moe.route";
  path.axes = {{"scoring", {"none", "softmax", "sigmoid", "sqrtsoftplus"}},
               {"after", {"none", "softmax"}},
               {"bias", {"no", "yes"}},
               {"renorm", {"no", "yes"}},
               {"gscore", {"top2_sum", "max"}},
               {"masked", {"neg_inf", "zero"}},
               {"logits", {"f32", "bf16"}}};
  path.profile = staged_profile();
  return path;
}

OfferedPath attention_path(const std::string& kind) {
  OfferedPath path;
  path.name = kind;
  path.op = "attention." + kind;
  path.axes = {{"io", {"bf16", "f16", "f32"}}, {"mask", {"full", "causal", "sliding"}},
               {"sinks", {"no", "yes"}},       {"out", {"absent", "in_place", "copied"}},
               {"lse", {"yes", "no"}},         {"lens", {"equal", "ragged", "with_empty"}}};
  path.profile = staged_profile();
  return path;
}

}  // namespace

Manifest embedded_manifest(const ChosenDevice& device) {
  Manifest manifest;
  manifest.name = "embedded";
  manifest.version = "0.1.0";
  manifest.device = device.name;
  manifest.target = device.target;
  manifest.wave = device.wave;
  manifest.paths = {route_path(), experts_path("bf16"), experts_path("fp8_block128"),
                    attention_path("prefill"), attention_path("decode")};
  return manifest;
}

}  // namespace plumbline::device
