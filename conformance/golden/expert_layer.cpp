#include "conformance/golden/expert_layer.h"

#include "reference/spec/ids.h"

namespace plumbline::golden {
namespace {

constexpr const char* kUnquantised = "bf16";

/// Scales as the reference takes them: [E, N] where the file has [E, N, 1].
Tensors with_flat_scales(const CaseFile& file, const QuantScheme& scheme) {
  Tensors tensors;
  for (const char* name : {"x", "w13", "w2", "w13_scale", "w2_scale", "w13_bias", "w2_bias",
                           "topk_ids", "topk_weights"}) {
    if (const Tensor* tensor = file.find(name)) tensors[name] = *tensor;
  }
  if (scheme.weight_scale != Granularity::kChannel) return tensors;
  for (const char* name : {"w13_scale", "w2_scale"}) {
    const auto found = tensors.find(name);
    if (found == tensors.end()) continue;
    std::vector<std::int64_t>& shape = found->second.spec.shape;
    if (shape.size() == 3 && shape.back() == 1) shape.pop_back();
  }
  return tensors;
}

}  // namespace

bool scheme_is_judged(const std::string& scheme) {
  return scheme == "w8a8_int8" || scheme == "w8a8_fp8_channel" || scheme == "fp8_block128";
}

ExpertLayer expert_layer(const CaseFile& file, const MoeCase& moe) {
  ExpertLayer layer;
  layer.moe = moe;
  layer.quant = moe.scheme.empty() ? kUnquantised : moe.scheme;
  const QuantScheme scheme = *quant_from_name(layer.quant);
  layer.quantises = scheme.activation_scale != Granularity::kNone;
  layer.read = layer.quantises ? scheme.activation : moe.io;
  layer.inputs = moe::decode_inputs(with_flat_scales(file, scheme), layer.quant);
  return layer;
}

}  // namespace plumbline::golden
