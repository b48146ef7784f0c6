#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/spec/problems.h"
#include "reference/spec/status.h"
#include "reference/spec/tensor.h"

namespace plumbline::device {

/// The plain weights of a layer while a checkpoint is loaded: w13 [e, 2i, h] (gate rows first), w2
/// [e, h, i] and, where the quant scheme has them, w13_scale and w2_scale.
class LoadedWeights {
 public:
  LoadedWeights() = default;
  /// Empty tensors for the sizes of a layer.
  explicit LoadedWeights(const ExpertsProblem& layer);

  /// One tensor of the checkpoint: w1 (gate rows), w3 (up rows) or w2 of an expert, or w13, w2 of
  /// all (expert −1); scales as NAME_scale. bf16 in place of a quantised weight is kept until all
  /// of that weight is there, and then quantised. Refuses names that it does not know (unexpected),
  /// experts out of range and other shapes (shape), other types (dtype).
  std::optional<Refusal> load(std::string_view name, std::int64_t expert, const TensorView& tensor);
  /// Whether every part of every tensor has been loaded.
  bool complete() const;
  const Tensors& tensors() const { return tensors_; }

 private:
  struct Part {
    std::string whole;  ///< "w13"
    std::int64_t first = 0, rows = 0, all_rows = 0;
  };

  std::optional<Part> part_of(std::string_view name, bool fused) const;
  Tensor& target(const std::string& whole, const TensorView& tensor);
  void quantise(const std::string& whole);

  ExpertsProblem layer_;
  Tensors tensors_;
  Tensors unquantised_;                             ///< bf16, by the name of the weight
  std::map<std::string, std::vector<bool>> there_;  ///< rows of all experts that were loaded
};

}  // namespace plumbline::device
