#include "device/moe/method_weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "device/kernels/expert_gemm.h"
#include "device/kernels/number.h"
#include "device/moe/layer.h"

namespace plumbline::device {
namespace {

constexpr std::string_view kScale = "_scale";
constexpr std::string_view kStaged = ":bf16";
constexpr float kLargestInt8 = 127.0F;
constexpr float kLargestE4m3 = 448.0F;

/// One weight being quantised: codes [rows, columns] of all experts, scales by block.
struct Quantiser {
  const Bf16* in;
  std::byte* codes;
  float* scales;
  DType type;
  std::int64_t columns;

  /// scale = absmax / largest code, 1 where all is zero; code = the nearest to value / scale. All
  /// in fp32.
  void block(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t width,
             float& scale) const {
    float absmax = 0.0F;
    each(row, rows, column, width,
         [&](std::int64_t at) { absmax = std::max(absmax, std::fabs(to_float(in[at]))); });
    scale = absmax == 0.0F ? 1.0F : absmax / (type == DType::kI8 ? kLargestInt8 : kLargestE4m3);
    each(row, rows, column, width,
         [&](std::int64_t at) { codes[at] = code(to_float(in[at]) / scale); });
  }

 private:
  template <class Visit>
  void each(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t width,
            const Visit& visit) const {
    for (std::int64_t r = row; r < row + rows; ++r) {
      for (std::int64_t c = column; c < column + width; ++c) visit(r * columns + c);
    }
  }

  std::byte code(float value) const {
    if (type != DType::kI8) return std::byte{from_float<E4m3>(value).bits};
    const float nearest = std::nearbyint(std::clamp(value, -kLargestInt8, kLargestInt8));
    return static_cast<std::byte>(static_cast<std::int8_t>(nearest));
  }
};

void quantise_channels(const Quantiser& quantiser, std::int64_t rows) {
  for (std::int64_t row = 0; row < rows; ++row) {
    quantiser.block(row, 1, 0, quantiser.columns, quantiser.scales[row]);
  }
}

/// The blocks of `rows` rows from `first` on, at most kScaleBlock rows high; returns the next
/// scale.
float* quantise_band(const Quantiser& quantiser, std::int64_t first, std::int64_t rows,
                     float* scale) {
  for (std::int64_t column = 0; column < quantiser.columns; column += kScaleBlock) {
    const auto width = std::min<std::int64_t>(kScaleBlock, quantiser.columns - column);
    quantiser.block(first, rows, column, width, *scale++);
  }
  return scale;
}

void quantise_blocks(const Quantiser& quantiser, std::int64_t experts, std::int64_t rows) {
  float* scale = quantiser.scales;
  for (std::int64_t expert = 0; expert < experts; ++expert) {
    for (std::int64_t row = 0; row < rows; row += kScaleBlock) {
      const auto height = std::min<std::int64_t>(kScaleBlock, rows - row);
      scale = quantise_band(quantiser, expert * rows + row, height, scale);
    }
  }
}

Refusal unknown_name(std::string_view name, std::int64_t expert) {
  return {Status::kUnexpected,
          "a checkpoint has w1, w3, w2 an expert or w13, w2 of all, and their scales",
          "\"" + std::string(name) + "\", expert " + std::to_string(expert)};
}

}  // namespace

LoadedWeights::LoadedWeights(const ExpertsProblem& layer) : layer_(layer) {
  for (const Wanted& wanted : wanted_weights(layer)) {
    const std::string name(wanted.name);
    const Tensor& tensor = tensors_[name] = Tensor::zeros({wanted.dtype, wanted.shape});
    there_[name].resize(static_cast<std::size_t>(layer.e * tensor.spec.shape[1]));
  }
}

std::optional<LoadedWeights::Part> LoadedWeights::part_of(std::string_view name, bool fused) const {
  const bool scale = name.ends_with(kScale);
  const std::string_view stem = name.substr(0, name.size() - (scale ? kScale.size() : 0));
  const bool first = stem == "w1" && !fused;
  const bool second = stem == "w3" && !fused && layer_.activation.gated();
  if (!first && !second && stem != "w2" && !(stem == "w13" && fused)) return std::nullopt;
  Part part;
  part.whole = std::string(stem == "w2" ? "w2" : "w13") + std::string(scale ? kScale : "");
  const auto whole = tensors_.find(part.whole);
  if (whole == tensors_.end()) return std::nullopt;
  part.all_rows = whole->second.spec.shape[1];
  const bool half = (first || second) && layer_.activation.gated();
  part.rows = half ? part.all_rows / 2 : part.all_rows;
  part.first = second ? part.rows : 0;
  return part;
}

/// The plain tensor, or where bf16 stands in for a quantised one the tensor that keeps it.
Tensor& LoadedWeights::target(const std::string& whole, const TensorView& tensor) {
  Tensor& plain = tensors_[whole];
  const bool weight = !whole.ends_with(kScale);
  if (!weight || tensor.spec.dtype != DType::kBf16 || plain.spec.dtype == DType::kBf16) {
    return plain;
  }
  Tensor& kept = unquantised_[whole];
  if (kept.data.empty()) {
    kept = Tensor::zeros({DType::kBf16, plain.spec.shape});
    there_[whole + std::string(kStaged)].resize(there_[whole].size());
  }
  return kept;
}

std::optional<Refusal> LoadedWeights::load(std::string_view name, std::int64_t expert,
                                           const TensorView& tensor) {
  const bool fused = expert == -1;
  const auto part = part_of(name, fused);
  if (!part) return unknown_name(name, expert);
  if (!fused && (expert < 0 || expert >= layer_.e)) {
    return Refusal{Status::kShape, "expert in [0, " + std::to_string(layer_.e) + ")",
                   std::to_string(expert)};
  }
  std::vector<std::int64_t> shape = tensors_[part->whole].spec.shape;
  shape[1] = part->rows;
  if (!fused) shape.erase(shape.begin());
  const DType plain = tensors_[part->whole].spec.dtype;
  const bool online = tensor.spec.dtype == DType::kBf16 && !name.ends_with(kScale);
  const Wanted wanted{name, online ? DType::kBf16 : plain, shape};
  if (auto refusal = check_tensors(std::span(&wanted, 1), {{std::string(name), tensor}})) {
    return refusal;
  }
  Tensor& into = target(part->whole, tensor);
  const std::int64_t row_bytes = std::ssize(into.data) / (layer_.e * part->all_rows);
  const std::int64_t first = fused ? 0 : expert * part->all_rows + part->first;
  const std::int64_t rows = fused ? layer_.e * part->all_rows : part->rows;
  if (rows > 0) {
    std::memcpy(into.data.data() + first * row_bytes, tensor.data,
                static_cast<std::size_t>(rows * row_bytes));
  }
  const bool staged = &into != &tensors_[part->whole];
  std::vector<bool>& there = there_[part->whole + std::string(staged ? kStaged : "")];
  std::fill_n(there.begin() + first, rows, true);
  if (staged && std::find(there.begin(), there.end(), false) == there.end()) {
    quantise(part->whole);
  }
  return std::nullopt;
}

void LoadedWeights::quantise(const std::string& whole) {
  Tensor& codes = tensors_[whole];
  Tensor& scales = tensors_[whole + std::string(kScale)];
  const std::int64_t rows = codes.spec.shape[1];
  const Quantiser quantiser{reinterpret_cast<const Bf16*>(unquantised_[whole].data.data()),
                            codes.data.data(), scales.as<float>().data(), codes.spec.dtype,
                            codes.spec.shape[2]};
  if (layer_.quant == "fp8_block128") {
    quantise_blocks(quantiser, layer_.e, rows);
  } else {
    quantise_channels(quantiser, layer_.e * rows);
  }
  for (const std::string& name : {whole, whole + std::string(kScale)}) {
    std::vector<bool>& there = there_[name];
    std::fill(there.begin(), there.end(), true);
  }
}

bool LoadedWeights::complete() const {
  return std::all_of(tensors_.begin(), tensors_.end(), [&](const auto& named) {
    const std::vector<bool>& there = there_.find(named.first)->second;
    return std::find(there.begin(), there.end(), false) == there.end();
  });
}

}  // namespace plumbline::device
