#include "reference/spec/problems.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "reference/spec/fields.h"

namespace plumbline {
namespace {

using spec::Fields;
using spec::number_text;
using spec::word_to_enum;
using spec::wrong_operation;
using spec::yes_no;

constexpr std::array<std::string_view, 4> kScorings = {"none", "softmax", "sigmoid",
                                                       "sqrtsoftplus"};
constexpr std::array<std::string_view, 2> kGroupScores = {"top2_sum", "max"};
constexpr std::array<std::string_view, 2> kWeightPlaces = {"output", "input"};
constexpr std::array<std::string_view, 3> kMasks = {"full", "causal", "sliding"};
constexpr std::array<std::string_view, 3> kOutModes = {"absent", "in_place", "copied"};
constexpr std::array<std::string_view, 3> kLengths = {"equal", "ragged", "with_empty"};
constexpr std::array<std::string_view, 6> kOperations = {"moe.route",         "moe.experts",
                                                         "moe.method",        "moe.identity",
                                                         "attention.prefill", "attention.decode"};

Result<Activation> parse_swiglu(std::string_view word) {
  const Refusal refusal{Status::kUnsupported, "act is silu, relu2 or swiglu:ALPHA:BETA:LIMIT",
                        "\"" + std::string(word) + "\""};
  Activation act{Activation::Kind::kSwiglu, 1.0, 0.0, 0.0};
  const std::array<double*, 3> fields = {&act.alpha, &act.beta, &act.limit};
  std::size_t at = std::string_view("swiglu").size();
  for (double* field : fields) {
    if (at >= word.size() || word[at] != ':') return refusal;
    const std::size_t end = std::min(word.find(':', at + 1), word.size());
    const std::string_view text = word.substr(at + 1, end - at - 1);
    at = end;
    if (field == &act.limit && text == "none") continue;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), *field);
    if (error != std::errc{} || stop != text.data() + text.size() || !std::isfinite(*field)) {
      return refusal;
    }
  }
  if (at != word.size() || act.limit < 0.0) return refusal;
  return act;
}

}  // namespace

std::string_view name_of(Scoring scoring) { return kScorings[static_cast<std::size_t>(scoring)]; }
std::string_view name_of(GroupScore score) { return kGroupScores[static_cast<std::size_t>(score)]; }
std::string_view name_of(WeightOn where) { return kWeightPlaces[static_cast<std::size_t>(where)]; }
std::string_view name_of(Mask mask) { return kMasks[static_cast<std::size_t>(mask)]; }
std::string_view name_of(OutMode mode) { return kOutModes[static_cast<std::size_t>(mode)]; }
std::string_view name_of(Lengths lengths) { return kLengths[static_cast<std::size_t>(lengths)]; }
std::span<const std::string_view> all_operations() { return kOperations; }

Result<Scoring> scoring_from_name(std::string_view name) {
  return word_to_enum<Scoring>("scoring is none, softmax, sigmoid or sqrtsoftplus", name,
                               kScorings);
}

std::string Activation::text() const {
  if (kind == Kind::kSilu) return "silu";
  if (kind == Kind::kRelu2) return "relu2";
  return "swiglu:" + number_text(alpha) + ":" + number_text(beta) + ":" +
         (limit > 0.0 ? number_text(limit) : "none");
}

Result<Activation> Activation::from(std::string_view word) {
  if (word == "silu") return Activation{};
  if (word == "relu2") return Activation{Kind::kRelu2, 1.0, 0.0, 0.0};
  return parse_swiglu(word.starts_with("swiglu") ? word : std::string_view("swiglu"));
}

Result<RouteProblem> RouteProblem::from(const Problem& problem) {
  if (const auto refusal = wrong_operation(problem, "moe.route")) return *refusal;
  RouteProblem p;
  Fields in(problem);
  in.take(p.scoring, scoring_from_name(in.axis("scoring", "softmax")));
  in.yes_no(p.softmax_after_topk, "after", "softmax", "none");
  in.yes_no(p.has_bias, "bias");
  in.yes_no(p.renormalize, "renorm");
  in.number(p.scale, "scale");
  in.take(p.group_score, word_to_enum<GroupScore>("gscore is top2_sum or max",
                                                  in.axis("gscore", "top2_sum"), kGroupScores));
  in.yes_no(p.masked_is_zero, "masked", "zero", "neg_inf");
  in.number(p.renorm_epsilon, "eps");
  in.io_type(p.logits, "logits", {DType::kF32, DType::kBf16});
  in.dim(p.t, "t", 0);
  in.dim(p.e, "e");
  in.dim(p.k, "k");
  in.dim(p.groups, "g");
  in.dim(p.kept_groups, "kg");
  if (!in.outcome()) {
    in.check(p.e % p.groups == 0, "e % g == 0", problem.text());
    in.check(p.kept_groups <= p.groups, "kg <= g", problem.text());
    in.check(p.k <= p.e / p.groups * p.kept_groups, "k <= kg * e / g", problem.text());
    in.check(p.groups == 1 || p.e / p.groups >= 2, "two experts a group at least", problem.text());
  }
  if (const auto refusal = in.outcome()) return *refusal;
  return p;
}

Problem RouteProblem::to_problem() const {
  return {"moe.route",
          {{"scoring", std::string(name_of(scoring))},
           {"after", softmax_after_topk ? "softmax" : "none"},
           {"bias", std::string(yes_no(has_bias))},
           {"renorm", std::string(yes_no(renormalize))},
           {"scale", number_text(scale)},
           {"gscore", std::string(name_of(group_score))},
           {"masked", masked_is_zero ? "zero" : "neg_inf"},
           {"eps", number_text(renorm_epsilon)},
           {"logits", std::string(name_of(logits))}},
          {{"t", t}, {"e", e}, {"k", k}, {"g", groups}, {"kg", kept_groups}}};
}

Result<ExpertsProblem> ExpertsProblem::from(const Problem& problem) {
  if (const auto refusal = wrong_operation(problem, "moe.experts")) return *refusal;
  ExpertsProblem p;
  Fields in(problem);
  p.backend = in.axis("backend", p.backend);
  p.quant = in.axis("quant", p.quant);
  p.ownership = in.axis("ownership", p.ownership);
  in.take(p.activation, Activation::from(in.axis("act", "silu")));
  in.yes_no(p.has_bias, "bias");
  in.io_type(p.io, "io", {DType::kBf16, DType::kF16, DType::kF32});
  in.number(p.scale, "scale");
  in.take(p.weight_on, word_to_enum<WeightOn>("weight is output or input",
                                              in.axis("weight", "output"), kWeightPlaces));
  p.pack = in.axis("pack", p.pack);
  if (p.pack != "plain" && p.pack != "kpack2") in.refuse("pack is plain or kpack2", p.pack);
  in.dim(p.t, "t", 0);
  in.dim(p.h, "h");
  in.dim(p.i, "i");
  in.dim(p.e, "e");
  in.dim(p.k, "k");
  in.dim(p.z, "z", 0);
  const auto backends = all_runner_backends();
  if (std::none_of(backends.begin(), backends.end(),
                   [&](const RunnerBackend& row) { return row.name == p.backend; })) {
    in.refuse("backend is one of `plumbline list backends`", p.backend);
  }
  if (!quant_from_name(p.quant)) in.refuse("quant is one of `plumbline list quants`", p.quant);
  const auto ownerships = all_ownerships();
  if (std::find(ownerships.begin(), ownerships.end(), p.ownership) == ownerships.end()) {
    in.refuse("ownership is one of `plumbline list axes`", p.ownership);
  }
  in.check(p.k <= p.e + p.z, "k <= e + z", problem.text());
  if (const auto refusal = in.outcome()) return *refusal;
  return p;
}

Problem ExpertsProblem::to_problem() const {
  Problem p{"moe.experts",
            {{"backend", backend},
             {"quant", quant},
             {"ownership", ownership},
             {"act", activation.text()},
             {"bias", std::string(yes_no(has_bias))},
             {"io", std::string(name_of(io))},
             {"scale", number_text(scale)}},
            {{"t", t}, {"h", h}, {"i", i}, {"e", e}, {"k", k}, {"z", z}}};
  if (weight_on == WeightOn::kInput) p.set_axis("weight", name_of(weight_on));
  if (pack != "plain") p.set_axis("pack", pack);
  return p;
}

float AttentionProblem::softmax_scale() const {
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(d)));
}

Result<AttentionProblem> AttentionProblem::from(const Problem& problem) {
  AttentionProblem p;
  p.decode = problem.op == "attention.decode";
  if (!p.decode) {
    if (const auto refusal = wrong_operation(problem, "attention.prefill")) return *refusal;
  }
  Fields in(problem);
  in.io_type(p.io, "io", {DType::kBf16, DType::kF16, DType::kF32});
  in.take(p.mask, word_to_enum<Mask>("mask is full, causal or sliding",
                                     in.axis("mask", name_of(p.mask)), kMasks));
  in.number(p.softcap, "softcap", "none");
  in.yes_no(p.has_sinks, "sinks");
  in.take(p.out_mode, word_to_enum<OutMode>("out is absent, in_place or copied",
                                            in.axis("out", name_of(p.out_mode)), kOutModes));
  in.yes_no(p.has_lse, "lse");
  in.take(p.lengths, word_to_enum<Lengths>("lens is equal, ragged or with_empty",
                                           in.axis("lens", name_of(p.lengths)), kLengths));
  in.dim(p.b, "b");
  in.dim(p.hq, "hq");
  in.dim(p.hkv, "hkv");
  in.dim(p.d, "d");
  if (p.decode) {
    p.sq = 1;
    in.dim(p.page, "page");
  } else {
    in.dim(p.sq, "sq", 0);
  }
  in.dim(p.sk, "sk", 0);
  in.dim(p.w, "w", p.mask == Mask::kSliding ? 1 : 0);
  in.check(p.hkv > 0 && p.hq % p.hkv == 0, "hq % hkv == 0", problem.text());
  in.check(p.mask == Mask::kSliding || p.w == 0, "w only where mask is sliding", problem.text());
  in.check(p.softcap >= 0.0, "softcap > 0", problem.text());
  if (const auto refusal = in.outcome()) return *refusal;
  return p;
}

Problem AttentionProblem::to_problem() const {
  Problem p{decode ? "attention.decode" : "attention.prefill",
            {{"io", std::string(name_of(io))},
             {"mask", std::string(name_of(mask))},
             {"softcap", softcap > 0.0 ? number_text(softcap) : "none"},
             {"sinks", std::string(yes_no(has_sinks))},
             {"out", std::string(name_of(out_mode))},
             {"lse", std::string(yes_no(has_lse))},
             {"lens", std::string(name_of(lengths))}},
            {{"b", b}, {"hq", hq}, {"hkv", hkv}, {"d", d}}};
  if (!decode) p.set_dim("sq", sq);
  p.set_dim("sk", sk);
  if (mask == Mask::kSliding) p.set_dim("w", w);
  if (decode) p.set_dim("page", page);
  return p;
}

Problem widest_problem(std::string_view op) {
  if (op == "moe.route") return RouteProblem{}.to_problem();
  if (op == "moe.method") return MethodProblem{}.to_problem();
  if (op == "moe.identity") return IdentityProblem{}.to_problem();
  if (op == "moe.experts") {
    ExpertsProblem p;
    p.weight_on = WeightOn::kInput;
    p.pack = "kpack2";
    return p.to_problem();
  }
  AttentionProblem p;
  p.decode = op == "attention.decode";
  p.mask = Mask::kSliding;
  p.w = 1;
  if (p.decode || op == "attention.prefill") return p.to_problem();
  throw BadInput("", op, "is no operation of `plumbline list axes`");
}

}  // namespace plumbline
