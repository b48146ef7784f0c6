#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/record/record.h"
#include "reference/bounds/expected.h"
#include "reference/spec/problems.h"
#include "reference/spec/tensor.h"
#include "reference/spec/verdict.h"

namespace plumbline::bounds {
struct RouteExpected;
}

namespace plumbline::judge {

/// What one check found out; a case's record is the worst of its judgements.
struct Judgement {
  Verdict verdict = Verdict::kUntrusted;
  std::string lane;                 ///< "bitwise", "W", "S", "guard", "relation:NAME"
  std::string reason;               ///< one sentence an engineer can act on
  double margin = 0;                ///< largest |got − expected| / radius; 1 is the limit
  std::int64_t elements = 0;        ///< elements of the output
  std::int64_t compared = 0;        ///< elements whose radius is finite: they could have failed
  double rms_expected = 0;          ///< RMS of the finite expected values
  std::vector<WorstElement> worst;  ///< at most kWorstElements, the largest margin first
  Sketch sketch;
};

/// How many elements a judgement lists.
inline constexpr std::size_t kWorstElements = 8;

/// What the largest margins of a sketch are taken over. `members[i]` lists the groups that index i
/// of `axis` belongs to (a token belongs to each of its experts); empty: the index is the group.
struct Groups {
  std::string name;  ///< "expert", "head", "token"; empty: no maxima
  std::size_t axis = 0;
  std::vector<std::vector<std::int64_t>> members;
};

/// Compares element by element: |got − value| ≤ radius, NaN where NaN is expected and only there,
/// infinities met exactly. Lane "bitwise" where no element has a second admissible value, "W"
/// otherwise. Another dtype or shape fails. Untrusted: passed, but nothing could have failed or
/// more than 5 % of the elements have a radius above the RMS of the expected tensor. An output that
/// the problem leaves empty passes. What passes W and has a calibrated view is judged by that: lane
/// "S", suspicious where an element lies outside; the reason states the implied λ. Sketch maxima go
/// over heads for [row, head, element] and [head, row] outputs.
Judgement numeric(std::string_view output, const Expected& expected, const Tensor& got);
/// The same with maxima over `groups`.
Judgement numeric(std::string_view output, const Expected& expected, const Tensor& got,
                  const Groups& groups);

/// Lane S alone, whatever W says; none where there is no calibrated view or another type or shape.
/// For counting which lanes notice a fault.
std::optional<Judgement> calibrated_alone(std::string_view output, const Expected& expected,
                                          const Tensor& got);

/// Judges topk_ids i32 [t, k] as a choice: ids distinct and in [0, e), the set of each token among
/// the admissible ones (ties may fall either way; the order inside a token is free), and
/// topk_weights f32 [t, k] as the weights of the choice that was made. Lane "route".
Judgement route(const RouteProblem& problem, const bounds::RouteExpected& expected,
                const Tensor& ids, const Tensor& weights);

/// Bits against bits: every element of `got` has the code of `expected` (same dtype and shape);
/// any NaN meets any NaN. For relations such as "permuted tokens give permuted rows".
Judgement same_bits(std::string_view output, const Tensor& expected, const Tensor& got,
                    std::string_view lane);

/// The judgement of a case: the gravest verdict, with the reason and lane of the check that gave it
/// (among passes: of the largest margin); elements, worst and histograms of all. Empty: untrusted.
Judgement worst_of(std::span<const Judgement> judgements);

/// A judgement without numbers, as guards and contracts give them.
Judgement verdict(Verdict verdict, std::string_view lane, std::string_view reason);

/// Position of `index` in a row-major tensor of `shape`.
std::vector<std::int64_t> position_of(std::int64_t index, std::span<const std::int64_t> shape);

/// Words for the axes of an output: "out" of rank 2 is {token, element}, of rank 3 {row, head,
/// element}; "lse" {head, row}; topk_… {token, slot}; otherwise {axis 0, axis 1, …}.
std::vector<std::string> axis_names(std::string_view output, std::size_t rank);

/// What the positions (row-major indices, ascending) have in common: ", all in token 3", ", all in
/// the last partial tile of elements (64 to 69)", ", every second head"; empty: nothing.
std::string pattern_of(std::span<const std::int64_t> indices, std::span<const std::int64_t> shape,
                       std::span<const std::string> names);

}  // namespace plumbline::judge
