#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reference/bounds/expected.h"
#include "reference/bounds/rounding.h"
#include "reference/spec/problems.h"
#include "reference/spec/tensor.h"

namespace plumbline::bounds {

/// What is right for a router: enclosures of the scores as fp32 arithmetic may give them. Which ids
/// are admissible follows from them (`inadmissible`); weights are judged for the ids that the
/// implementation chose (`expected_weights`).
struct RouteExpected {
  RouteProblem problem;
  Enclosure scores;  ///< [t, e] after scoring
  Enclosure choice;  ///< [t, e] scores + correction bias, before groups are masked
  Matrix logits;     ///< [t, e], for a softmax over the chosen
  /// Tokens whose logits hold NaN or +inf: nothing is defined. Any k ids in [0, e) are right there,
  /// repeated ones too, and any weights, NaN included; not crashing is all that is asked.
  std::vector<bool> undefined;

  bool undefined_row(std::int64_t token) const {
    return undefined[static_cast<std::size_t>(token)];
  }
};

/// Inputs router_logits and, with has_bias, correction_bias. Throws BadInput where they are missing
/// or do not fit.
RouteExpected evaluate_route(const RouteProblem& problem, const Tensors& inputs);

/// The same on values.
RouteExpected evaluate_route(const RouteProblem& problem, const Matrix& logits,
                             std::span<const double> correction_bias);

/// Why `ids` [k] of one token is not an admissible choice; empty where it is. Admissible: k
/// different ids in [0, e) for which scores within their radii exist that make them a top-k: no
/// expert left out lies certainly above a chosen one, inside groups that are a possible choice of
/// groups. Order does not matter. A tie is settled either way.
std::optional<std::string> inadmissible(const RouteExpected& expected, std::int64_t token,
                                        std::span<const std::int32_t> ids);

/// Weights [t, k] for the ids [t·k] that an implementation chose. Rows that are undefined hold
/// value NaN and an infinite radius: skip them (see `undefined`). Ids outside [0, e) give weight 0.
Expected expected_weights(const RouteExpected& expected, std::span<const std::int32_t> ids);

}  // namespace plumbline::bounds
