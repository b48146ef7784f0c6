#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "reference/spec/ids.h"
#include "reference/spec/problem.h"
#include "reference/spec/status.h"
#include "reference/spec/tensor.h"

/// Typed descriptors: what the axes and dimensions of a Problem mean for each operation. `from`
/// refuses a word or dimension that it does not know, by name; `to_problem` prints it back, with
/// every axis written out. Dimensions: t tokens, h hidden, i intermediate, e experts, k chosen
/// experts, z identity experts; b batch, hq/hkv heads, sq/sk lengths, d head size, w window,
/// page slots a page, pages pages a sequence at most.
namespace plumbline {

/// Pointwise activation of an expert. Axis word: "silu", "relu2", "gelu", or
/// "swiglu:ALPHA:BETA:LIMIT" = min(g, L)·σ(alpha·min(g, L))·(clamp(u, ±L) + beta); LIMIT "none".
struct Activation {
  enum class Kind : std::uint8_t { kSilu, kSwiglu, kRelu2 } kind = Kind::kSilu;
  double alpha = 1.0;
  double beta = 0.0;
  double limit = 0.0;  ///< 0: no limit

  bool gated() const { return kind != Kind::kRelu2; }
  std::string text() const;
  static Result<Activation> from(std::string_view word);
  friend bool operator==(const Activation&, const Activation&) = default;
};

enum class Scoring : std::uint8_t { kNone, kSoftmax, kSigmoid, kSqrtSoftplus };
std::string_view name_of(Scoring scoring);
/// How a group of experts is scored when only the best groups stay in the choice.
enum class GroupScore : std::uint8_t { kTop2Sum, kMax };
std::string_view name_of(GroupScore score);
Result<Scoring> scoring_from_name(std::string_view name);

/// `moe.route`: router logits → top-k ids and weights.
/// Inputs: router_logits [t, e]; correction_bias f32 [e] where has_bias.
/// Outputs: topk_ids i32 [t, k], topk_weights f32 [t, k].
struct RouteProblem {
  Scoring scoring = Scoring::kSoftmax;       ///< axis scoring: applied to all logits
  bool softmax_after_topk = false;           ///< axis after=softmax|none: over the k chosen
  bool has_bias = false;                     ///< axis bias=yes|no: added for the choice only
  bool renormalize = false;                  ///< axis renorm=yes|no: weights / their sum
  double scale = 1.0;                        ///< axis scale: routed scaling factor on the weights
  DType logits = DType::kF32;                ///< axis logits=f32|bf16
  std::int64_t t = 1, e = 8, k = 2;          ///< dims t, e, k
  std::int64_t groups = 1, kept_groups = 1;  ///< dims g, kg
  GroupScore group_score = GroupScore::kTop2Sum;  ///< axis gscore=top2_sum|max
  bool masked_is_zero = false;  ///< axis masked=neg_inf|zero: score of the groups left out
  double renorm_epsilon = 0.0;  ///< axis eps: added to the sum that renormalises

  static Result<RouteProblem> from(const Problem& problem);
  Problem to_problem() const;
};

/// Where the router weight enters: times the expert's result (as in `moe.experts`' formula), or
/// times x before it is quantised (rounded to io), and then not again.
enum class WeightOn : std::uint8_t { kOutput, kInput };
std::string_view name_of(WeightOn where);

/// `moe.experts`: out[t] = Σ_k weight[t,k] · expert_id[t,k](x[t]);
/// expert(x) = W2·act(W13·x + b13) + b2; ids in [e, e + z) return x itself.
/// Inputs: x io [t, h]; w13 [e, 2i, h] gate rows then up rows (relu2: [e, i, h]); w2 [e, h, i];
/// w13_bias io [e, 2i], w2_bias io [e, h] where has_bias; topk_ids i32 [t, k] (−1: no expert);
/// topk_weights f32 [t, k]; fp8_block128 also w13_scale f32 [e, ⌈2i/128⌉, ⌈h/128⌉] and
/// w2_scale f32 [e, ⌈h/128⌉, ⌈i/128⌉]; w8a8_int8 (weights i8) and w8a8_fp8_channel (e4m3fn) one
/// scale an output channel: w13_scale f32 [e, 2i], w2_scale f32 [e, h]; both quantise x and the
/// activation dynamically, one scale a token. What stands beside the weights of the other quant
/// schemes, and in which shape and layout, follows from their row (ids.h). Output: out io [t, h].
struct ExpertsProblem {
  std::string backend = "triton";          ///< axis backend: a runner backend
  std::string quant = "bf16";              ///< axis quant: a quant scheme
  std::string ownership = "owner";         ///< axis ownership
  Activation activation;                   ///< axis act
  bool has_bias = false;                   ///< axis bias=yes|no
  DType io = DType::kBf16;                 ///< axis io=bf16|f16|f32
  double scale = 1.0;                      ///< axis scale: routed scaling factor on the sum, once
  WeightOn weight_on = WeightOn::kOutput;  ///< axis weight=output|input; printed where not output
  std::string pack = "plain";              ///< axis pack=plain|kpack2; printed where not plain
  std::int64_t t = 1, h = 64, i = 32, e = 8, k = 2, z = 0;

  std::int64_t w13_rows() const { return activation.gated() ? 2 * i : i; }
  static Result<ExpertsProblem> from(const Problem& problem);
  Problem to_problem() const;
};

/// `moe.method`: the calls of an engine to one quant method while it loads and runs a layer. Every
/// call's status, the ownership flag, the runner and the names on the layer are what the contract
/// says; an `apply` that runs is judged as `moe.experts`. Tensors: those of `layer` with its data.
struct MethodProblem {
  ExpertsProblem layer;  ///< axes backend (the switch at the start), quant, act, io; dims
  std::string ownership = "owner";  ///< axis ownership: who holds the method, and how it came about
  std::string checkpoint = "split";  ///< axis load=split|fused|online (w1, w3, w2 an expert; w13,
                                     ///< w2 of all; bf16 to be quantised)
  std::string lightop = "present";   ///< axis lightop=present|absent|missing_symbol: the library
  /// axis calls: words joined by a dot, in order: weights, load, runner, process, apply,
  /// switch:BACKEND, int4:yes|no. "standard": the order that the ownership stands for.
  std::string calls = "standard";

  /// The words of `calls`, "standard" written out, with the case's own backend in its place.
  std::vector<std::string> call_words() const;
  static Result<MethodProblem> from(const Problem& problem);
  Problem to_problem() const;
};

/// `moe.identity`: every predicate asked of one value of a tagged type. No tensors; dimension n is
/// 1, the number of values.
struct IdentityProblem {
  std::string type;   ///< axis type: "runner_backend", … (identity.h)
  std::string value;  ///< axis value
  static Result<IdentityProblem> from(const Problem& problem);
  Problem to_problem() const;
};

enum class Mask : std::uint8_t { kFull, kCausal, kSliding };
std::string_view name_of(Mask mask);

/// What happens to the caller's `out`.
enum class OutMode : std::uint8_t {
  kAbsent,   ///< no out given: the implementation returns a tensor of its own
  kInPlace,  ///< out is written by the kernel itself and returned
  kCopied,   ///< the result is computed elsewhere and copied to out afterwards
};
std::string_view name_of(OutMode mode);

/// How the lengths of the b sequences are drawn, up to sq and sk.
enum class Lengths : std::uint8_t { kEqual, kRagged, kWithEmpty };
std::string_view name_of(Lengths lengths);

/// `attention.prefill`: varlen, q [tq, hq, d], k and v [tk, hkv, d], cu_q and cu_k i32 [b + 1].
/// `attention.decode`: paged, q [b, hq, d], k_cache and v_cache [pages_total, page, hkv, d],
/// block_table i32 [b, pages] (unused entries −1), seq_lens i32 [b]; one query a sequence.
/// Both: sinks f32 [hq] where has_sinks. Causal and sliding are aligned bottom right: query row r
/// of a sequence sees keys j ≤ r + sk − sq (and j > r + sk − sq − w). softcap s ↦ cap·tanh(s/cap)
/// before the mask. Outputs: out io as q; lse f32 [hq, tq] (decode: [hq, b]), natural logarithm,
/// sink included; an empty row gives out = 0 and lse = −inf (lse = sink where there is one).
struct AttentionProblem {
  bool decode = false;
  DType io = DType::kBf16;              ///< axis io=bf16|f16|f32
  Mask mask = Mask::kCausal;            ///< axis mask
  double softcap = 0.0;                 ///< axis softcap=none|NUMBER
  bool has_sinks = false;               ///< axis sinks=yes|no
  OutMode out_mode = OutMode::kAbsent;  ///< axis out=absent|in_place|copied
  bool has_lse = true;                  ///< axis lse=yes|no
  Lengths lengths = Lengths::kEqual;    ///< axis lens=equal|ragged|with_empty
  std::int64_t b = 1, hq = 4, hkv = 4, d = 64, sq = 16, sk = 16, w = 0, page = 16;

  /// Softmax scale: d^−½ in double, rounded to float.
  float softmax_scale() const;
  std::int64_t pages() const { return (sk + page - 1) / page; }
  static Result<AttentionProblem> from(const Problem& problem);
  Problem to_problem() const;
};

/// Names of the operations: "moe.route", "moe.experts", "moe.method", "moe.identity",
/// "attention.prefill", "attention.decode".
std::span<const std::string_view> all_operations();
/// A problem of the operation with every axis and dimension that it can have. Throws BadInput for
/// an operation that there is not.
Problem widest_problem(std::string_view op);

}  // namespace plumbline
