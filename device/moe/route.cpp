#include "device/moe/route.h"

#include <limits>
#include <string>
#include <vector>

#include "device/abi/arguments.h"
#include "device/kernels/buffer.h"

namespace plumbline::device {
namespace {

ScoringKind kind_of(Scoring scoring) {
  switch (scoring) {
    case Scoring::kNone:
      return ScoringKind::kNone;
    case Scoring::kSoftmax:
      return ScoringKind::kSoftmax;
    case Scoring::kSigmoid:
      return ScoringKind::kSigmoid;
    case Scoring::kSqrtSoftplus:
      return ScoringKind::kSqrtSoftplus;
  }
  return ScoringKind::kNone;
}

}  // namespace

std::optional<Refusal> refuse_route(const RouteProblem& problem, const TensorViews& inputs) {
  const RouteProblem& p = problem;
  if (p.e > kMaxRoutedExperts) {
    return Refusal{Status::kCapacity, "e <= " + std::to_string(kMaxRoutedExperts),
                   "e = " + std::to_string(p.e)};
  }
  std::vector<Wanted> wanted = {{"router_logits", p.logits, {p.t, p.e}}};
  if (p.has_bias) wanted.push_back({"correction_bias", DType::kF32, {p.e}});
  return check_tensors(wanted, inputs);
}

RoutePlan plan_route(const RouteProblem& problem, int wave) {
  const RouteProblem& p = problem;
  RoutePlan plan;
  plan.problem = p;
  plan.wave = wave;
  RouteArgs& args = plan.args;
  args.tokens = static_cast<std::int32_t>(p.t);
  args.experts = static_cast<std::int32_t>(p.e);
  args.k = static_cast<std::int32_t>(p.k);
  args.groups = static_cast<std::int32_t>(p.groups);
  args.kept_groups = static_cast<std::int32_t>(p.kept_groups);
  args.scoring = kind_of(p.scoring);
  args.group_by_two = p.group_score == GroupScore::kTop2Sum;
  args.bf16_logits = p.logits == DType::kBf16;
  args.softmax_after = p.softmax_after_topk;
  args.renormalise = p.renormalize;
  args.epsilon = static_cast<float>(p.renorm_epsilon);
  args.masked = p.masked_is_zero ? 0.0F : -std::numeric_limits<float>::infinity();
  args.scale = static_cast<float>(p.scale);
  return plan;
}

void run_route(const RoutePlan& plan, const TensorViews& inputs, const RouteTarget& target) {
  const RouteProblem& p = plan.problem;
  if (p.t == 0) return;
  const Stream stream;
  const Input logits(inputs, "router_logits", stream);
  const Input bias(inputs, "correction_bias", stream);
  const Buffer ids(4 * p.t * p.k);
  const Buffer weights(4 * p.t * p.k);
  RouteArgs args = plan.args;
  args.logits = logits.as<void>();
  args.bias = bias.as<float>();
  args.ids = ids.as<std::int32_t>();
  args.weights = weights.as<float>();
  launch_route(args, plan.wave, stream.get());
  stream.wait();
  ids.download(target.ids, stream);
  weights.download(target.weights, stream);
  stream.wait();
}

}  // namespace plumbline::device
