#include "conformance/properties/generators.h"

#include <algorithm>
#include <string>
#include <vector>

#include "reference/spec/problems.h"

namespace plumbline::properties {
namespace {

constexpr std::uint64_t kSeeds = 1000;

Case finish(const Problem& problem) {
  Case c;
  c.problem = problem;
  c.data = *rc::gen::element<std::string>("gaussian", "gaussian", "heavy_tailed", "exact_integers");
  c.seed = *rc::gen::inRange<std::uint64_t>(0, kSeeds);
  return c;
}

bool flip() { return *rc::gen::inRange(0, 2) == 1; }

Case route_case() {
  RouteProblem p;
  p.scoring = *rc::gen::element(Scoring::kSoftmax, Scoring::kSigmoid, Scoring::kSqrtSoftplus);
  p.has_bias = flip();
  p.renormalize = flip();
  p.logits = *rc::gen::element(DType::kF32, DType::kBf16);
  p.t = *rc::gen::inRange<std::int64_t>(1, 20);
  p.e = *rc::gen::element<std::int64_t>(8, 16);
  p.k = *rc::gen::inRange<std::int64_t>(1, 5);
  if (flip()) {
    p.groups = 4;
    p.kept_groups = 2;
    p.k = std::min<std::int64_t>(p.k, p.e / 2);
  }
  return finish(p.to_problem());
}

Case experts_case() {
  ExpertsProblem p;
  p.quant = *rc::gen::element<std::string>("bf16", "fp8_block128");
  p.activation =
      *rc::gen::element(Activation{}, Activation{Activation::Kind::kRelu2, 1.0, 0.0, 0.0},
                        Activation{Activation::Kind::kSwiglu, 1.702, 1.0, 7.0});
  p.has_bias = p.quant == "bf16" && flip();
  p.t = *rc::gen::inRange<std::int64_t>(1, 12);
  p.h = p.quant == "bf16" ? *rc::gen::element<std::int64_t>(32, 72) : 128;
  p.i = p.quant == "bf16" ? *rc::gen::element<std::int64_t>(16, 40) : 128;
  p.e = *rc::gen::inRange<std::int64_t>(2, 7);
  p.k = *rc::gen::inRange<std::int64_t>(1, 3);
  return finish(p.to_problem());
}

Case attention_case(bool decode) {
  AttentionProblem p;
  p.decode = decode;
  p.io = *rc::gen::element(DType::kBf16, DType::kF32);
  p.mask = *rc::gen::element(Mask::kFull, Mask::kCausal, Mask::kSliding);
  p.has_sinks = flip();
  p.out_mode = *rc::gen::element(OutMode::kAbsent, OutMode::kInPlace, OutMode::kCopied);
  p.lengths = *rc::gen::element(Lengths::kEqual, Lengths::kRagged, Lengths::kWithEmpty);
  p.b = *rc::gen::inRange<std::int64_t>(1, 5);
  p.hkv = *rc::gen::inRange<std::int64_t>(1, 3);
  p.hq = p.hkv * *rc::gen::inRange<std::int64_t>(1, 3);
  p.d = *rc::gen::element<std::int64_t>(32, 64);
  p.sq = decode || flip() ? 1 : *rc::gen::inRange<std::int64_t>(2, 12);
  p.sk = *rc::gen::inRange<std::int64_t>(1, 40);
  p.page = 16;
  if (p.mask == Mask::kSliding) p.w = *rc::gen::inRange<std::int64_t>(1, 20);
  return finish(p.to_problem());
}

}  // namespace

rc::Gen<Case> any_route_case() { return rc::gen::exec(route_case); }
rc::Gen<Case> any_experts_case() { return rc::gen::exec(experts_case); }
rc::Gen<Case> any_attention_case() {
  return rc::gen::exec([] { return attention_case(flip()); });
}

rc::Gen<Case> any_case_of(std::string_view applies_to) {
  if (applies_to == "moe.experts") return any_experts_case();
  if (applies_to == "attention.prefill") return rc::gen::exec([] { return attention_case(false); });
  if (applies_to == "attention.decode") return rc::gen::exec([] { return attention_case(true); });
  if (applies_to == "attention.*") return any_attention_case();
  return rc::gen::exec([] { return flip() ? route_case() : experts_case(); });
}

}  // namespace plumbline::properties
