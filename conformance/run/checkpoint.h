#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "reference/spec/problems.h"
#include "reference/spec/tensor.h"

namespace plumbline::run {

/// One tensor as a checkpoint holds it.
struct SavedTensor {
  std::string name;  ///< w1, w3, w2, w13, and scales as NAME_scale
  std::int64_t expert = -1;
  Tensor tensor;
};

/// The weights of a life-cycle case, as saved and as they must lie on the layer once loaded.
struct Checkpoint {
  std::vector<SavedTensor> saved;
  Tensors plain;  ///< w13, w2 and their scales
};

/// `inputs`: those of the case. load=split: w1 (gate rows), w3 (up rows) and w2 of each expert;
/// fused: w13 and w2 of all; online: split, in bf16, quantised on the layer.
Checkpoint make_checkpoint(const MethodProblem& problem, const Tensors& inputs);

}  // namespace plumbline::run
