#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "reference/spec/problem.h"
#include "reference/spec/tensor.h"

namespace plumbline::inputs {

/// The input tensors of a case, by the names and shapes of reference/spec/problems.h. A pure
/// function of the case: the same bits on any machine, whatever ran before. Values follow the
/// case's distribution, weights scaled so that outputs are of the order of 1; they are rounded
/// once, to the type of their tensor. Throws BadInput where the problem is illegal or the
/// distribution unknown.
///
/// The seed also picks the shape of the choice that moe.experts gets in topk_ids (distinct a
/// token): seed % 3 = 0: any expert; 1: a quarter of the experts gets no token; 2: also −1 in
/// places, and every fifth token has no expert at all. attention.decode: the page table is
/// permuted, its unused entries are −1; pages of nobody and slots behind a sequence's end hold NaN.
Tensors make(const Case& test_case);

/// Types and shapes of the outputs, by name. The number of rows of attention comes from the inputs.
std::map<std::string, TensorSpec> output_specs(const Problem& problem, const Tensors& inputs);

/// Whether the data of this name are random-like: independent draws, so that rounding errors do not
/// line up and the calibrated lane applies. False for a name that does not exist.
bool random_like(std::string_view data);

/// Names of the distributions, as in `data=NAME`.
std::span<const std::string_view> all_distributions();

}  // namespace plumbline::inputs
