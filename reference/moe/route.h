#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "reference/ops/matrix.h"
#include "reference/spec/problems.h"
#include "reference/spec/tensor.h"

namespace plumbline::moe {

/// The answer of a router with what led to it.
struct Routing {
  std::vector<std::int32_t> ids;  ///< t·k, best choice first; ties and NaN: see `route`
  std::vector<double> weights;    ///< t·k, of these ids
  Matrix scores;                  ///< [t, e] after scoring
  Matrix choice;                  ///< [t, e] what the choice compares: scores + correction bias,
                                  ///< groups left out masked to −inf (or 0)
};

/// Router logits to experts. For each token: s = scoring(logits); c = s + bias; where groups > 1
/// each group is scored by the sum of its two best c (or its best), the kept_groups best stay, c of
/// the others becomes −inf (or 0); the k largest c are chosen; their weights are
/// weights_given_choice. One order everywhere: larger first, NaN last, among equals the lower id.
/// Shapes: logits [t, e], correction_bias [e] (empty: none; ignored unless has_bias). Throws
/// ContractViolation where a size does not fit the problem.
Routing route(const RouteProblem& problem, const Matrix& logits,
              std::span<const double> correction_bias);

/// Weights of chosen experts, the choice taken as given: w = s[ids] (the correction bias takes no
/// part); after=softmax: w = softmax(w) over the k; renorm: w / (Σw + eps); then · scale. An id
/// outside [0, e) stands for no expert: weight 0, in no sum. Shapes: ids t·k → t·k.
std::vector<double> weights_given_choice(const RouteProblem& problem, const Matrix& logits,
                                         std::span<const double> correction_bias,
                                         std::span<const std::int32_t> ids);

/// `scoring` applied to each row of [t, e]: none, softmax over the row, σ, or √(log(1 + eˣ)).
Matrix score(Scoring scoring, const Matrix& logits);

}  // namespace plumbline::moe
