#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "conformance/golden/case_file.h"
#include "reference/spec/problems.h"

/// What the metadata of each kind of case file says, checked against its tensors. The readers throw
/// BadInput naming file, key or tensor, and the rule, wherever the two contradict each other, a key
/// or tensor is missing, or a word is unknown.
namespace plumbline::golden {

/// `kind` "moe": T tokens, H hidden, I intermediate, E experts, K chosen experts. Tensors: x [T,
/// H], w13 [E, 2I, H] (relu2 [E, I, H]), w2 [E, H, I], topk_ids [T, K], topk_weights [T, K], biases
/// w13_bias and w2_bias together; with `routing` also router_logits [T, E + identity experts] and,
/// where the choice uses it, correction_bias.
struct MoeCase {
  std::int64_t t = 0, h = 0, i = 0, e = 0, k = 0;
  std::string scheme;                    ///< metadata scheme; empty: not quantised
  std::string family;                    ///< metadata family; empty: not said
  std::optional<Activation> activation;  ///< absent: the file states none
  std::optional<RouteProblem> routing;   ///< absent: the file states none
  DType io = DType::kF64;                ///< of x
};
MoeCase moe_case(const CaseFile& file);

/// `kind` "attention": q [B, Hq, Sq, D], k [B, Hk, Sk, D], v [B, Hk, Sk, Dv], sinks [Hq].
struct AttentionCase {
  std::int64_t b = 0, hq = 0, hk = 0, sq = 0, sk = 0, d = 0, dv = 0;
  double scale = 1.0;
  double softcap = 0.0;  ///< 0: none
  Mask mask = Mask::kFull;
  bool top_left = false;    ///< `causal`: query row r stands at key r
  std::int64_t window = 0;  ///< keys a row sees at most; 0: not sliding
  bool has_sinks = false;
  DType io = DType::kF32;  ///< of q, k and v
};
AttentionCase attention_case(const CaseFile& file);

/// `kind` "gemm": a [M, K], b [N, K], out = a·bᵀ · scale_a [M, 1] · scale_b [1, N].
struct GemmCase {
  std::int64_t m = 0, n = 0, k = 0;
  DType in = DType::kBf16;   ///< of a and b
  DType out = DType::kBf16;  ///< of every device.NAME
  bool scaled = false;
};
GemmCase gemm_case(const CaseFile& file);

/// A dtype as metadata spells it: "bfloat16", "float16", "float32", "bf16", …
std::optional<DType> dtype_from_metadata(std::string_view word);

/// Refuses where metadata `key` is there and is not `size`, which tensor `name` has.
void check_count(const CaseFile& file, std::string_view key, std::int64_t size,
                 std::string_view name);

}  // namespace plumbline::golden
