#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "device/abi/arguments.h"
#include "device/abi/implementation.h"
#include "device/kernels/buffer.h"
#include "device/kernels/expert_gemm.h"
#include "device/kernels/experts.h"
#include "device/moe/path.h"
#include "reference/spec/problems.h"

/// What the paths of the expert layer have in common: the tensors of the operation and steps that
/// no path owns.
namespace plumbline::device {

std::int64_t ceil_div(std::int64_t count, std::int64_t part);

/// x, topk_ids and topk_weights.
std::vector<Wanted> wanted_routing(const ExpertsProblem& problem);
/// Plain weights with their scales and biases, as `moe.experts` takes them.
std::vector<Wanted> wanted_weights(const ExpertsProblem& problem);
/// Refuses ids beyond [-1, e + z).
std::optional<Refusal> refuse_ids(const ExpertsProblem& problem, const TensorViews& inputs);
/// The first rule of `constraints` that the problem's dimensions break (class shape).
std::optional<Refusal> refuse_sizes(const ExpertsProblem& problem,
                                    const std::vector<std::string>& constraints);

/// Tiles of 16 rows at most: each tile in use holds a slot at least, and each expert wastes one at
/// most.
std::int64_t row_tiles_of(const ExpertsProblem& problem);
/// Refuses more tiles than a launch has blocks, and INT8 sums beyond 32 bits (class capacity).
std::optional<Refusal> refuse_capacity(const ExpertsProblem& problem);
/// A product of every slot's row with n rows of k elements, without its pointers.
GemmArgs plan_gemm(const ExpertsProblem& problem, std::int64_t n, std::int64_t k);
/// The activation of a layer whose gate rows come first, without its pointers.
ActivationArgs plan_activation(const ExpertsProblem& problem);
/// The last step of a path that keeps its results in fp32, without its pointers.
CombineArgs plan_combine(const ExpertsProblem& problem);

/// The axes of a row of the manifest: backend, quant, owner, io bf16 and what is given.
OfferedPath offered_path(std::string name, std::string backend, std::string quant);
/// The words that the row takes on an axis, in place of those that offered_path gave it.
void take_words(OfferedPath& path, const std::string& axis, const std::vector<std::string>& words);

/// Shows a device buffer to the call's observer, if there is one; waits for the stream first.
void observe(const ExpertCall& call, std::string_view name, TensorSpec spec, const Buffer& buffer,
             const Stream& stream);

/// A field of a record that is a number.
struct WantedNumber {
  std::string_view name;
  std::int64_t value;
};
/// Whether a record has exactly these fields: presence of all first, then dtype and shape of the
/// tensors, then the values of the numbers (class shape), then layout. Tag and flags have been
/// checked; `flags` names the numbers that are flags.
std::optional<Refusal> refuse_fields(const QuantRecord& record, const std::vector<Wanted>& tensors,
                                     const std::vector<WantedNumber>& numbers,
                                     const std::vector<std::string_view>& flags);
/// Refuses another path's tag, before anything else is read (class unsupported).
std::optional<Refusal> refuse_tag(const QuantRecord& record, std::string_view tag);

}  // namespace plumbline::device
