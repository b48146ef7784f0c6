#include "device/abi/manifest.h"

#include "device/moe/identity.h"
#include "device/moe/method.h"
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

/// The method of one quant scheme: every backend that the switch can name.
OfferedPath method_path(const std::string& quant) {
  OfferedPath path;
  path.name = "method/" + quant;
  path.op = "moe.method";
  Words backends;
  for (const identity::Value& value : identity::all().values) {
    if (value.type == "runner_backend") backends.emplace_back(value.name);
  }
  Words ownerships = {"owner",         "owner_scheme",    "owner_wrapper",  "never_created",
                      "created_empty", "recreated_owner", "recreated_empty"};
  if (quant == "fp8_block128") {
    for (const char* holder : {"trtllm", "cutlass", "marlin", "humming"}) {
      ownerships.push_back(std::string("borrower_") + holder);
    }
  }
  path.axes = {
      {"backend", backends},
      {"quant", {quant}},
      {"ownership", ownerships},
      {"act", {"silu", "swiglu:*"}},
      {"io", {"bf16"}},
      {"load", quant == "bf16" ? Words{"split", "fused"} : Words{"split", "fused", "online"}},
      {"lightop", {"present", "absent", "missing_symbol"}}};
  path.profile = staged_profile();
  return path;
}

OfferedPath identity_path() {
  OfferedPath path;
  path.name = "identity";
  path.op = "moe.identity";
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
  for (const char* quant : {"bf16", "fp8_block128", "w8a8_int8", "w8a8_fp8_channel"}) {
    manifest.paths.push_back(method_path(quant));
  }
  manifest.paths.push_back(identity_path());
  manifest.paths.push_back(attention_path("prefill"));
  manifest.paths.push_back(attention_path("decode"));
  return manifest;
}

}  // namespace plumbline::device
