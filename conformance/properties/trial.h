#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/judge/judge.h"
#include "device/abi/implementation.h"
#include "reference/spec/problems.h"
#include "reference/spec/tensor.h"

/// What the relations are made of: run a case, change it, run it again, compare.
namespace plumbline::properties {

using judge::Judgement;

/// A case with its inputs and what the implementation made of them.
struct Trial {
  Case base;
  Implementation* implementation = nullptr;
  std::string lane;  ///< "relation:NAME"
  Tensors inputs;
  Tensors outputs;
  std::optional<Judgement> stop;  ///< set where the relation ends before its comparison
};

/// Makes the inputs of the case and runs it. Stops where the implementation does not offer the
/// problem (not_offered) or refuses it (refused).
Trial start(const Case& base, Implementation& implementation, std::string_view relation);
/// The same with inputs that the relation has changed already.
Trial start(const Case& base, Implementation& implementation, std::string_view relation,
            Tensors inputs);

/// The changed case: outputs by name, or the judgement that stands in their place.
struct Rerun {
  Tensors outputs;
  std::optional<Judgement> stop;
};

/// Runs `problem` on `inputs` in guarded memory. A problem that is not offered stops it as
/// not_offered; a refusal fails: what was accepted before the change must be accepted after it.
Rerun rerun(const Trial& trial, const Problem& problem, const Tensors& inputs);

/// Every output of `expected` has the same bits in `got`.
Judgement same(const Trial& trial, const Tensors& expected, const Tensors& got);
/// Every output of `expected` has the same values in `got`, −0 and 0 being one.
Judgement same_values(const Trial& trial, const Tensors& expected, const Tensors& got);
/// Both runs lie within the radius of one exact result, so they differ by twice the radius at most.
/// The radius is that of (problem, inputs) under the profile of the path that claims the problem.
Judgement both_in_radius(const Trial& trial, const Problem& problem, const Tensors& inputs,
                         const Tensors& got);

/// Not offered: the case gives the relation nothing to change.
Judgement nothing_to_change(const Trial& trial, std::string_view why);

/// A permutation of 0 … count − 1, pure in (seed, name).
std::vector<std::int64_t> permutation(std::int64_t count, std::uint64_t seed,
                                      std::string_view name);
/// `count` numbers in [0, below), pure in (seed, name).
std::vector<std::int64_t> draw(std::int64_t count, std::int64_t below, std::uint64_t seed,
                               std::string_view name);

/// result[…, j, …] = tensor[…, indices[j], …] along `axis`.
Tensor take(const Tensor& tensor, std::span<const std::int64_t> indices, std::size_t axis = 0);
/// 0 … count − 1.
std::vector<std::int64_t> first(std::int64_t count);
/// Sets the elements of index `index` of the first axis to the NaN (or huge integer) of the type.
void poison_row(Tensor& tensor, std::int64_t index);
/// Copies index `from` of the first axis over index `to`.
void copy_row(Tensor& tensor, std::int64_t from, std::int64_t to);
/// Multiplies every element by a power of two. Throws ContractViolation unless that is exact.
Tensor scaled(const Tensor& tensor, double power_of_two);

/// Results of at least this size scale by powers of two bit for bit. Only terms below 2^−126 are
/// subnormal and round by absolute steps; beside a sum of 2^−96, whose fp32 spacing is 2^−119, any
/// number of them up to 2^6 is less than half a step of it and vanishes, scaled or not.
inline constexpr double kScalesExactlyFrom = 0x1p-96;
/// Sets to zero, in both tensors, the elements whose unscaled result in `base` is smaller.
void drop_tiny(const Tensor& base, Tensor& expected, Tensor& got);

/// The descriptor of a problem that was accepted. Throws ContractViolation where `from` refuses it.
template <class Descriptor>
Descriptor described(const Problem& problem) {
  const Result<Descriptor> result = Descriptor::from(problem);
  if (!result) throw ContractViolation(problem.text() + ": " + result.refusal().text());
  return *result;
}

}  // namespace plumbline::properties
