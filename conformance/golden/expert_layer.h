#pragma once
#include <optional>
#include <string>

#include "conformance/golden/judge_golden.h"
#include "reference/moe/experts.h"

namespace plumbline::golden {

/// An expert layer of a case file, read and ready to be judged.
struct ExpertLayer {
  MoeCase moe;  ///< with an activation
  moe::ExpertInputs inputs;
  std::string quant;          ///< a quant scheme; "bf16": not quantised
  bool quantises = false;     ///< x and activation
  DType read = DType::kBf16;  ///< what the products read: type of the codes, or of x
};

/// Reads the layer's tensors. Scales an output channel may have a last dimension of 1.
ExpertLayer expert_layer(const CaseFile& file, const MoeCase& moe);
/// Whether there is a reference for layers of this metadata `scheme`.
bool scheme_is_judged(const std::string& scheme);

/// Whether device.NAME is an intermediate: x_quantized, x_scale, gemm1, activation or weighted.
bool is_stage(std::string_view name);

/// One finding a stage that the file holds (bounds/stages.h), lane "staged", in the order of the
/// layer: stage.x_scale, stage.x_quantized, stage.gemm1, stage.activation, stage.experts,
/// stage.out. The stages are those of the result that metadata `stages_of` names; without it, of
/// the one under whose profile the fewest stages fail. Throws BadInput for tensors of another type
/// or shape.
Findings check_stages(const CaseFile& file, const ExpertLayer& layer,
                      const std::optional<Profile>& profile);

}  // namespace plumbline::golden
