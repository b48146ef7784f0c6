#include "conformance/cases/axes.h"

#include <array>

namespace plumbline::cases {
namespace {

constexpr auto kAxes = std::to_array<Axis>({
    {"moe.route", "scoring", "none|softmax|sigmoid|sqrtsoftplus", "applied to all logits"},
    {"moe.route", "after", "softmax|none", "softmax over the k chosen"},
    {"moe.route", "bias", "yes|no", "correction bias, added for the choice only"},
    {"moe.route", "renorm", "yes|no", "weights divided by their sum"},
    {"moe.route", "scale", "NUMBER", "routed scaling factor on the weights"},
    {"moe.route", "gscore", "top2_sum|max", "how a group of experts is scored"},
    {"moe.route", "masked", "zero|neg_inf", "score of the groups left out"},
    {"moe.route", "eps", "NUMBER", "added to the sum that renormalises"},
    {"moe.route", "logits", "f32|bf16", "type of the router logits"},
    {"moe.route", "t", "n >= 0", "tokens"},
    {"moe.route", "e", "n >= 1", "experts"},
    {"moe.route", "k", "n >= 1", "experts chosen a token"},
    {"moe.route", "g", "n >= 1", "groups of experts"},
    {"moe.route", "kg", "1 <= n <= g", "groups that stay in the choice"},
    {"moe.experts", "backend", "see list backends", "runner backend"},
    {"moe.experts", "quant", "see list quants", "how the weights and activations are quantised"},
    {"moe.experts", "ownership", "owner; moe.method has the others", "who holds the runner"},
    {"moe.experts", "act", "silu|relu2|swiglu:ALPHA:BETA:LIMIT", "activation; LIMIT may be none"},
    {"moe.experts", "bias", "yes|no", "biases after both products"},
    {"moe.experts", "io", "bf16|f16|f32", "type of x and out"},
    {"moe.experts", "scale", "NUMBER", "routed scaling factor on the sum, once"},
    {"moe.experts", "t", "n >= 0", "tokens"},
    {"moe.experts", "h", "n >= 1", "hidden size"},
    {"moe.experts", "i", "n >= 1", "intermediate size"},
    {"moe.experts", "e", "n >= 1", "experts"},
    {"moe.experts", "k", "1 <= n <= e + z", "experts a token"},
    {"moe.experts", "z", "n >= 0", "identity experts, ids e to e + z - 1"},
    {"moe.method", "backend", "see list backends, or auto", "the switch runner_backend at first"},
    {"moe.method", "quant", "see list quants", "the quant method"},
    {"moe.method", "ownership",
     "owner|owner_scheme|owner_wrapper|borrower_{trtllm,cutlass,marlin,humming}|never_created|"
     "created_empty|recreated_owner|recreated_empty",
     "who holds the method, and how it came by its runner"},
    {"moe.method", "act", "silu|swiglu:ALPHA:BETA:LIMIT", "activation; LIMIT may be none"},
    {"moe.method", "io", "bf16|f16|f32", "type of x and out"},
    {"moe.method", "load", "split|fused|online", "the checkpoint: w1, w3, w2; w13, w2; bf16"},
    {"moe.method", "lightop", "present|absent|missing_symbol",
     "the library; without its FP8 entry"},
    {"moe.method", "calls", "standard or WORD.WORD...",
     "weights, load, runner, process, apply, switch:BACKEND, int4:yes, int4:no"},
    {"moe.method", "t", "n >= 0", "tokens"},
    {"moe.method", "h", "n >= 1", "hidden size"},
    {"moe.method", "i", "n >= 1", "intermediate size; n % 128 = 0 where weights are in blocks"},
    {"moe.method", "e", "n >= 1", "experts"},
    {"moe.method", "k", "1 <= n <= e", "experts a token"},
    {"moe.identity", "type",
     "runner_backend|a2a_backend|dispatch_format|combine_format|dispatch_dtype|deepep_mode|"
     "deepep_v2_scale_format",
     "a type with predicates of its own"},
    {"moe.identity", "value", "a value of the type", "every predicate is asked of it"},
    {"moe.identity", "n", "n = 1", "values asked about"},
    {"attention.*", "io", "bf16|f16|f32", "type of q, k, v and out"},
    {"attention.*", "mask", "full|causal|sliding", "aligned at the bottom right"},
    {"attention.*", "softcap", "none|NUMBER", "s becomes cap*tanh(s/cap) before the mask"},
    {"attention.*", "sinks", "yes|no", "one more logit a head, without a value"},
    {"attention.*", "out", "absent|in_place|copied", "what happens to the caller's out"},
    {"attention.*", "lse", "yes|no", "whether the log-sum-exp is asked for"},
    {"attention.*", "lens", "equal|ragged|with_empty", "how the lengths are drawn"},
    {"attention.*", "b", "n >= 1", "sequences"},
    {"attention.*", "hq", "n % hkv = 0", "query heads"},
    {"attention.*", "hkv", "n >= 1", "key and value heads"},
    {"attention.*", "d", "n >= 1", "head size"},
    {"attention.prefill", "sq", "n >= 0", "longest query sequence"},
    {"attention.*", "sk", "n >= 0", "longest key sequence"},
    {"attention.*", "w", "n >= 1", "window, where mask=sliding"},
    {"attention.decode", "page", "n >= 1", "slots a page"},
});

}  // namespace

std::span<const Axis> all_axes() { return kAxes; }

}  // namespace plumbline::cases
