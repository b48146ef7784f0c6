#include <algorithm>
#include <cmath>
#include <limits>

#include "conformance/golden/expert_layer.h"
#include "conformance/golden/judge_golden.h"
#include "reference/bounds/experts.h"
#include "reference/bounds/golden.h"
#include "reference/bounds/route.h"
#include "reference/formats/codec.h"
#include "reference/moe/experts.h"
#include "reference/moe/route.h"

namespace plumbline::golden {
namespace {

/// What the routing of a file is judged with.
struct Router {
  RouteProblem problem;
  Matrix logits;
  std::vector<double> bias;
  moe::Routing reference;
  bounds::RouteExpected expected;
  std::vector<std::int32_t> ids;  ///< of the file
};

/// Whether the ids of one token are a top-k of the reference's scores, but for a gap at the edge of
/// the choice that the golden limits leave open. Ids in [0, e).
bool chosen_within_tie(const Router& router, std::int64_t token,
                       std::span<const std::int32_t> ids) {
  std::vector<bool> chosen(static_cast<std::size_t>(router.problem.e), false);
  double last_chosen = std::numeric_limits<double>::infinity();
  for (const std::int32_t id : ids) {
    if (chosen[static_cast<std::size_t>(id)]) return false;
    chosen[static_cast<std::size_t>(id)] = true;
    last_chosen = std::min(last_chosen, router.reference.choice(token, id));
  }
  double first_left_out = -std::numeric_limits<double>::infinity();
  for (std::int64_t id = 0; id < router.problem.e; ++id) {
    if (chosen[static_cast<std::size_t>(id)]) continue;
    first_left_out = std::max(first_left_out, router.reference.choice(token, id));
  }
  if (last_chosen >= first_left_out) return true;
  return first_left_out - last_chosen <= bounds::golden::route_tie_gap(first_left_out);
}

std::string list_of(std::span<const std::int32_t> ids) {
  std::string text = "{";
  for (const std::int32_t id : ids) text += (text.size() > 1 ? ", " : "") + std::to_string(id);
  return text + "}";
}

/// The first token whose ids are no right choice, as a reason; nullopt: all are right.
std::optional<std::string> wrong_choice(const Router& router) {
  const auto k = static_cast<std::size_t>(router.problem.k);
  for (std::int64_t token = 0; token < router.problem.t; ++token) {
    const auto ids = std::span(router.ids).subspan(static_cast<std::size_t>(token) * k, k);
    if (chosen_within_tie(router, token, ids)) continue;
    const std::optional<std::string> reason = bounds::inadmissible(router.expected, token, ids);
    if (!reason) continue;
    const auto right =
        std::span(router.reference.ids).subspan(static_cast<std::size_t>(token) * k, k);
    return "token " + std::to_string(token) + ": " + *reason + "; topk_ids are " + list_of(ids) +
           ", the reference chooses " + list_of(right);
  }
  return std::nullopt;
}

Router router_of(const CaseFile& file, const RouteProblem& problem,
                 const std::vector<std::int32_t>& ids) {
  Router router;
  router.problem = problem;
  router.logits = ops::to_matrix(*file.find("router_logits"), problem.t, problem.e);
  if (problem.has_bias) router.bias = formats::decode(*file.find("correction_bias"));
  router.reference = moe::route(problem, router.logits, router.bias);
  router.expected = bounds::evaluate_route(problem, router.logits, router.bias);
  router.ids = ids;
  return router;
}

/// Ids as sets, then the weights of the file's own choice.
Finding check_routing(const CaseFile& file, const RouteProblem& problem,
                      const std::vector<std::int32_t>& ids) {
  const Router router = router_of(file, problem, ids);
  const std::vector<double> weights =
      moe::weights_given_choice(problem, router.logits, router.bias, ids);
  const Tensor& stated = *file.find("topk_weights");
  const double limit = bounds::golden::route_weight_limit(problem.scale);
  Expected expected{DType::kF64, stated.spec.shape, formats::decode(stated),
                    std::vector<double>(weights.size(), limit)};
  const TensorSpec spec{DType::kF64, stated.spec.shape, Layout::kLinear, 0};
  Finding finding{"routing",
                  judge::numeric("topk_weights", expected, formats::encode(spec, weights)), ""};
  finding.judgement.lane = "golden";
  if (const std::optional<std::string> wrong = wrong_choice(router)) {
    finding.judgement.verdict = Verdict::kFail;
    finding.judgement.reason = *wrong;
    finding.judgement.margin = std::numeric_limits<double>::infinity();
  }
  return finding;
}

Finding check_experts(const CaseFile& file, const ExpertLayer& layer) {
  const MoeCase& moe = layer.moe;
  const Tensor& golden = file.require_shape("expected.out", {moe.t, moe.h}, "x");
  double largest = 0;
  for (const double value : formats::decode(golden)) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  const Matrix out = moe::experts(layer.inputs, *moe.activation);
  const double limit = bounds::golden::experts_limit(moe.family, largest);
  const std::vector<double> values(out.data(), out.data() + out.size());
  return against_golden(file, "expected.out", values, std::vector<double>(values.size(), limit));
}

/// Codes are exact as they are; what the products read of plain weights is the io type.
std::vector<std::string> exact_in_io(const ExpertLayer& layer) {
  if (layer.quantises) return {"x"};
  return {"x", "w13", "w2"};
}

Finding check_device(const CaseFile& file, const std::string& name, const ExpertLayer& layer,
                     const std::optional<Profile>& profile) {
  TensorSpec output;
  output.dtype = device_io(file, name, exact_in_io(layer));
  output.shape = {layer.moe.t, layer.moe.h};
  const DType input = layer.quantises ? layer.read : output.dtype;
  const DeviceResult device{name, input, output};
  return against_profiles(file, device, profile, [&](const Profile& candidate) {
    return bounds::experts(layer.inputs,
                           {*layer.moe.activation, candidate, output.dtype, layer.quant, 1.0});
  });
}

/// Quantisation has no truth in float64: which codes it gives depends on its arithmetic.
void check_truth(const CaseFile& file, const ExpertLayer& layer, Findings& findings) {
  if (file.find("expected.out") == nullptr) return;
  findings.push_back(layer.quantises
                         ? not_offered("expected.out", "a layer that quantises has no such truth")
                         : check_experts(file, layer));
}

std::vector<std::int32_t> ids_of(const CaseFile& file) {
  std::vector<std::int32_t> ids;
  for (const double id : formats::decode(*file.find("topk_ids"))) {
    ids.push_back(static_cast<std::int32_t>(id));
  }
  return ids;
}

}  // namespace

Findings check_moe(const CaseFile& file, const std::optional<Profile>& profile) {
  const MoeCase moe = moe_case(file);
  Findings findings;
  if (moe.routing) findings.push_back(check_routing(file, *moe.routing, ids_of(file)));
  if (!moe.scheme.empty() && !scheme_is_judged(moe.scheme)) {
    findings.push_back(not_offered("experts", "no reference for scheme " + moe.scheme));
    return findings;
  }
  if (!moe.activation) {
    findings.push_back(not_offered("experts", "the file states no activation"));
    return findings;
  }
  const ExpertLayer layer = expert_layer(file, moe);
  check_truth(file, layer, findings);
  for (Finding& stage : check_stages(file, layer, profile)) findings.push_back(std::move(stage));
  for (const std::string& device : file.devices()) {
    if (!is_stage(device)) findings.push_back(check_device(file, device, layer, profile));
  }
  return findings;
}

}  // namespace plumbline::golden
