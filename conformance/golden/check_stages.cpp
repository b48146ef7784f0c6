#include <algorithm>
#include <array>

#include "conformance/golden/expert_layer.h"
#include "reference/bounds/stages.h"
#include "reference/spec/ids.h"

namespace plumbline::golden {
namespace {

constexpr std::array<std::string_view, 5> kStages = {"x_scale", "x_quantized", "gemm1",
                                                     "activation", "weighted"};

std::string tensor_of(std::string_view stage) { return "device." + std::string(stage); }

/// The stages of one result under one profile.
class StageCheck {
 public:
  StageCheck(const CaseFile& file, const ExpertLayer& layer, DType io, const Profile& profile)
      : file_(file),
        layer_(layer),
        arithmetic_{*layer.moe.activation, profile, io, layer.quant, 1.0} {}

  /// `device`: the result that the stages lead to; empty: the file holds none.
  Findings run(const std::string& device) {
    judge_input();
    judge_gemm1();
    judge_after("activation", "gemm1", "stage.activation", &bounds::stage_activation);
    judge_after("weighted", "activation", "stage.experts", &bounds::stage_experts);
    if (!device.empty()) judge_after(device, "weighted", "stage.out", &bounds::stage_out);
    return std::move(findings_);
  }

 private:
  using FromStage = Expected (*)(const moe::ExpertInputs&, const Matrix&,
                                 const bounds::ExpertArithmetic&);

  const Tensor* find(std::string_view stage) const { return file_.find(tensor_of(stage)); }

  /// As the rows of a matrix, whatever the leading dimensions.
  Matrix matrix(std::string_view stage) const {
    const Tensor& tensor = *find(stage);
    const std::int64_t cols = tensor.spec.shape.back();
    return ops::to_matrix(tensor, cols == 0 ? 0 : tensor.spec.elements() / cols, cols);
  }

  void judge(std::string_view stage, const std::string& thing, const Expected& expected) {
    Finding finding{thing, judge::numeric(stage, expected, *find(stage)), arithmetic_.profile.name};
    finding.judgement.lane = "staged";
    findings_.push_back(std::move(finding));
  }

  void judge_input() {
    const Matrix& x = layer_.inputs.x;
    if (find("x_scale") != nullptr) {
      judge("x_scale", "stage.x_scale", bounds::stage_x_scale(x, arithmetic_));
    }
    if (find("x_quantized") != nullptr) {
      judge("x_quantized", "stage.x_quantized", bounds::stage_x_quantized(x, arithmetic_));
    }
  }

  void judge_gemm1() {
    if (find("gemm1") == nullptr) return;
    if (!layer_.quantises) {
      judge("gemm1", "stage.gemm1",
            bounds::stage_gemm1(layer_.inputs, layer_.inputs.x, arithmetic_));
      return;
    }
    if (find("x_scale") == nullptr || find("x_quantized") == nullptr) {
      findings_.push_back(
          not_offered("stage.gemm1", "needs device.x_quantized and device.x_scale"));
      return;
    }
    const Matrix x = bounds::dequantized(matrix("x_quantized"), matrix("x_scale"), arithmetic_);
    judge("gemm1", "stage.gemm1", bounds::stage_gemm1(layer_.inputs, x, arithmetic_));
  }

  void judge_after(std::string_view stage, std::string_view before, const std::string& thing,
                   FromStage expected) {
    if (find(stage) == nullptr) return;
    if (find(before) == nullptr) {
      const bool asked = thing != "stage.out";
      if (asked) findings_.push_back(not_offered(thing, "needs " + tensor_of(before)));
      return;
    }
    judge(stage, thing, expected(layer_.inputs, matrix(before), arithmetic_));
  }

  const CaseFile& file_;
  const ExpertLayer& layer_;
  bounds::ExpertArithmetic arithmetic_;
  Findings findings_;
};

/// Type and shape of a stage.
TensorSpec spec_of(const ExpertLayer& layer, std::string_view stage, DType io) {
  const MoeCase& moe = layer.moe;
  const std::int64_t group = quant_from_name(layer.quant)->activation_group;
  const std::int64_t scales = group > 0 ? (moe.h + group - 1) / group : 1;
  const std::int64_t rows = moe.activation->gated() ? 2 * moe.i : moe.i;
  if (stage == "x_scale") return {DType::kF32, {moe.t, scales}};
  if (stage == "x_quantized") return {layer.read, {moe.t, moe.h}};
  if (stage == "gemm1") return {io, {moe.t * moe.k, rows}};
  if (stage == "activation") return {io, {moe.t * moe.k, moe.i}};
  return {io, {moe.t, moe.k, moe.h}};
}

/// The type that the stages behind the products are rounded to.
DType io_of_stages(const CaseFile& file, const ExpertLayer& layer) {
  for (const std::string_view stage : {"gemm1", "activation", "weighted"}) {
    if (file.find(tensor_of(stage)) == nullptr) continue;
    return device_io(file, std::string(stage), {"x"});
  }
  return layer.moe.io;
}

/// Whether the file holds a stage. All that it holds have the right type and shape.
bool has_stages(const CaseFile& file, const ExpertLayer& layer, DType io) {
  bool any = false;
  for (const std::string_view stage : kStages) {
    const std::string name = tensor_of(stage);
    if (file.find(name) == nullptr) continue;
    any = true;
    if (stage.starts_with("x_") && !layer.quantises) {
      file.refuse_tensor(name, "is a stage of a quantised layer, but the file states no scheme");
    }
    check_spec(file, name, spec_of(layer, stage, io));
  }
  return any;
}

/// The results that the stages may lead to. One that is named need not be in the file.
std::vector<std::string> results_of(const CaseFile& file) {
  if (const std::optional<std::string> named = file.text("stages_of")) {
    if (is_stage(*named)) file.refuse_key("stages_of", "must name a result, not a stage");
    return {*named};
  }
  std::vector<std::string> names;
  for (const std::string& name : file.devices()) {
    if (!is_stage(name)) names.push_back(name);
  }
  if (names.empty()) names.emplace_back();
  return names;
}

/// Profiles that round where the file has stages come first: those that do not have none to show.
std::vector<Profile> candidates(const CaseFile& file, const std::string& result, DType read,
                                const std::optional<Profile>& profile) {
  std::vector<Profile> profiles = profiles_for(file, result, read, profile);
  std::stable_partition(profiles.begin(), profiles.end(), [](const Profile& candidate) {
    return candidate.rounding == ExpertRounding::kStages ||
           candidate.rounding == ExpertRounding::kEveryOperation;
  });
  return profiles;
}

std::ptrdiff_t rejected(const Findings& findings) {
  return std::count_if(findings.begin(), findings.end(),
                       [](const Finding& finding) { return !accepted(finding.judgement); });
}

}  // namespace

bool is_stage(std::string_view name) {
  return std::find(kStages.begin(), kStages.end(), name) != kStages.end();
}

Findings check_stages(const CaseFile& file, const ExpertLayer& layer,
                      const std::optional<Profile>& profile) {
  const DType io = io_of_stages(file, layer);
  if (!has_stages(file, layer, io)) return {};
  const DType read = layer.quantises ? layer.read : io;
  std::optional<Findings> best;
  for (const std::string& name : results_of(file)) {
    const std::string result = tensor_of(name);
    if (file.find(result) != nullptr) check_spec(file, result, {io, {layer.moe.t, layer.moe.h}});
    for (const Profile& candidate : candidates(file, name, read, profile)) {
      Findings findings = StageCheck(file, layer, io, candidate).run(name);
      if (!best || rejected(findings) < rejected(*best)) best = std::move(findings);
      if (rejected(*best) == 0) return *best;
    }
  }
  return *best;
}

}  // namespace plumbline::golden
