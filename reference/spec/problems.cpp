#include "reference/spec/problems.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <initializer_list>

namespace plumbline {
namespace {

template <class Enum, std::size_t N>
Result<Enum> word_to_enum(std::string_view rule, std::string_view word,
                          const std::array<std::string_view, N>& names) {
  const auto it = std::find(names.begin(), names.end(), word);
  if (it != names.end()) return static_cast<Enum>(it - names.begin());
  return Refusal{Status::kUnsupported, std::string(rule), "\"" + std::string(word) + "\""};
}

constexpr std::array<std::string_view, 4> kScorings = {"none", "softmax", "sigmoid",
                                                       "sqrtsoftplus"};
constexpr std::array<std::string_view, 2> kGroupScores = {"top2_sum", "max"};
constexpr std::array<std::string_view, 3> kMasks = {"full", "causal", "sliding"};
constexpr std::array<std::string_view, 3> kOutModes = {"absent", "in_place", "copied"};
constexpr std::array<std::string_view, 3> kLengths = {"equal", "ragged", "with_empty"};
constexpr std::array<std::string_view, 4> kOperations = {"moe.route", "moe.experts",
                                                         "attention.prefill", "attention.decode"};

/// Shortest decimal that reads back as the same double.
std::string number_text(double value) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end};
}

/// Reads the words of one problem, remembers the first refusal and which names were asked for.
class Fields {
 public:
  explicit Fields(const Problem& problem) : problem_(problem) {}

  std::string_view axis(std::string_view name, std::string_view fallback) {
    known_.push_back(name);
    return problem_.axis(name, fallback);
  }

  void yes_no(bool& field, std::string_view name, std::string_view yes = "yes",
              std::string_view no = "no") {
    const std::string_view word = axis(name, field ? yes : no);
    field = word == yes;
    if (word != yes && word != no) {
      refuse(std::string(name) + " is " + std::string(yes) + " or " + std::string(no), word);
    }
  }

  void number(double& field, std::string_view name, std::string_view none = "") {
    const std::string_view word = axis(name, "");
    if (word.empty() || (!none.empty() && word == none)) return;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), field);
    if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(field)) {
      refuse(std::string(name) + " is a number", word);
    }
  }

  void dim(std::int64_t& field, std::string_view name, std::int64_t least = 1) {
    known_.push_back(name);
    if (const auto value = problem_.dim(name)) field = *value;
    if (field < least || field > kLargestDim) {
      refuse(std::string(name) + " in [" + std::to_string(least) + ", " +
                 std::to_string(kLargestDim) + "]",
             std::to_string(field), Status::kShape);
    }
  }

  template <class T>
  void take(T& field, const Result<T>& result) {
    if (result) {
      field = *result;
    } else if (!refusal_) {
      refusal_ = result.refusal();
    }
  }

  void io_type(DType& field, std::string_view name, std::initializer_list<DType> allowed) {
    const std::string_view word = axis(name, name_of(field));
    const auto dtype = dtype_from_name(word);
    if (dtype && std::find(allowed.begin(), allowed.end(), *dtype) != allowed.end()) {
      field = *dtype;
      return;
    }
    std::string rule(name);
    for (const DType a : allowed)
      rule += (a == *allowed.begin() ? " is " : " or ") + std::string(name_of(a));
    refuse(rule, word, Status::kDtype);
  }

  void check(bool holds, std::string_view rule, std::string_view detail) {
    if (!holds) refuse(rule, detail, Status::kShape);
  }

  void refuse(std::string_view rule, std::string_view detail,
              Status status = Status::kUnsupported) {
    if (!refusal_) refusal_ = Refusal{status, std::string(rule), "\"" + std::string(detail) + "\""};
  }

  /// The first refusal, or one for a name that nobody asked for.
  std::optional<Refusal> outcome() {
    refuse_unknown(problem_.axes);
    refuse_unknown(problem_.dims);
    return refusal_;
  }

 private:
  static constexpr std::int64_t kLargestDim = std::int64_t{1} << 24;

  template <class Pairs>
  void refuse_unknown(const Pairs& pairs) {
    for (const auto& [name, value] : pairs) {
      if (std::find(known_.begin(), known_.end(), name) == known_.end()) {
        refuse(problem_.op + " has no axis or dimension of that name", name);
      }
    }
  }

  const Problem& problem_;
  std::vector<std::string_view> known_;
  std::optional<Refusal> refusal_;
};

std::string_view yes_no(bool value) { return value ? "yes" : "no"; }

std::optional<Refusal> wrong_operation(const Problem& problem, std::string_view wanted) {
  if (problem.op == wanted) return std::nullopt;
  return Refusal{Status::kUnsupported, "operation is " + std::string(wanted), problem.op};
}

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
  return {"moe.experts",
          {{"backend", backend},
           {"quant", quant},
           {"ownership", ownership},
           {"act", activation.text()},
           {"bias", std::string(yes_no(has_bias))},
           {"io", std::string(name_of(io))},
           {"scale", number_text(scale)}},
          {{"t", t}, {"h", h}, {"i", i}, {"e", e}, {"k", k}, {"z", z}}};
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

}  // namespace plumbline
