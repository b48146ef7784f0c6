#include "device/abi/manifest.h"

#include "device/moe/path.h"

namespace plumbline::device {
namespace {

using Words = std::vector<std::string>;

/// fp32 sums, rounded to io where the stages of an expert layer end; softmax weights stay fp32.
Profile staged_profile() {
  Profile profile;
  profile.name = "fp32-stages";
  return profile;
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
  manifest.paths = {route_path()};
  for (const ExpertPath* path : all_expert_paths()) manifest.paths.push_back(path->offer());
  manifest.paths.push_back(attention_path("prefill"));
  manifest.paths.push_back(attention_path("decode"));
  return manifest;
}

}  // namespace plumbline::device
