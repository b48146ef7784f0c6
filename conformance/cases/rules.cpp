#include "conformance/cases/rules.h"

#include <array>

namespace plumbline::cases {
namespace {

constexpr auto kRules = std::to_array<Rule>({
    {"moe.route", "e % g == 0", "excluded", "groups are of one size"},
    {"moe.route", "kg <= g", "excluded", "no more groups are kept than there are"},
    {"moe.route", "k <= kg * e / g", "excluded", "enough experts are left to choose from"},
    {"moe.route", "g == 1 || e / g >= 2", "excluded", "a group is scored by its two best"},
    {"moe.experts", "k <= e + z", "excluded", "the experts of a token are distinct"},
    {"moe.experts", "topk_ids in [-1, e + z)", "refused (unsupported)", "-1 is no expert"},
    {"moe.method", "i % 128 == 0 where weights are in blocks", "excluded",
     "the scales of w1 and w3 are whole blocks"},
    {"moe.method", "create_runner of a backend without a branch", "refused (unsupported)",
     "never another runner in its place; runner_ownership.csv says which"},
    {"moe.method", "lightop without its library", "refused (unsupported)", "at construction"},
    {"moe.method", "apply without runner, weights, packing or parameters", "refused (state)",
     "borrowers, wrong orders, changed switches"},
    {"moe.identity", "a predicate of the type", "refused (unsupported)", "never false"},
    {"attention.*", "hq % hkv == 0", "excluded", "key heads serve groups of one size"},
    {"attention.*", "w only where mask is sliding", "excluded", "a window needs its mask"},
    {"attention.*", "softcap > 0", "excluded", "or none"},
    {"attention.prefill", "cu_q and cu_k rise from 0 to their rows", "refused (shape)",
     "sequences lie end to end"},
    {"attention.decode", "seq_lens in [0, pages * page]", "refused (shape)",
     "the page table is long enough"},
    {"attention.decode", "block_table in [0, pages of k_cache) where used", "refused (shape)",
     "entries behind the end of a sequence are not looked at"},
    {"attention.*", "out is given unless out=absent", "refused (missing)", "as the mode says"},
    {"attention.*", "no out where out=absent", "refused (unexpected)", "as the mode says"},
    {"*", "tensors have the dtype, shape and layout of the problem", "refused (their class)",
     "dtype, shape, layout, missing, unexpected"},
});

}  // namespace

std::span<const Rule> all_rules() { return kRules; }

}  // namespace plumbline::cases
