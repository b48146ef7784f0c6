#include "device/moe/lightop/layout.h"

#include <string>
#include <vector>

#include "device/moe/layer.h"

namespace plumbline::device::lightop {
namespace {

bool is_int8(const ExpertsProblem& p) { return p.quant == "w8a8_int8"; }

std::int64_t kpack_of(const ExpertsProblem& p) { return p.pack == "kpack2" ? 2 : 1; }

/// Where a row of a plain weight goes: panel · 16 + row of the panel.
std::int64_t packed_row(const ExpertsProblem& p, bool is_w13, std::int64_t row) {
  if (!is_w13 || !p.activation.gated()) return row;
  const std::int64_t up = row >= p.i ? 1 : 0;
  const std::int64_t in_half = row - up * p.i;
  return (in_half / kPanelRows * 2 + up) * kPanelRows + in_half % kPanelRows;
}

/// One weight of all experts and its scales.
struct Weight {
  std::string name;
  bool is_w13;
  std::int64_t rows;
  std::int64_t k;
  std::int64_t panels;
};

std::vector<Weight> weights_of(const ExpertsProblem& p) {
  return {{"w13", true, p.w13_rows(), p.h, w13_panels(p)}, {"w2", false, p.h, p.i, panels_of(p.h)}};
}

/// Where one row of a weight lies: its panel, and its row in it.
struct PanelRow {
  std::byte* panel;
  std::int64_t row;
};

void pack_row(PanelOrder order, const std::byte* from, std::int64_t k_end, const PanelRow& to) {
  for (std::int64_t k = 0; k < k_end; ++k) to.panel[place_in_panel(order, to.row, k)] = from[k];
}

Tensor pack_codes(const ExpertsProblem& p, const Weight& w, const TensorView& plain) {
  const std::int64_t depth = depth_of(p, w.k);
  Tensor packed = Tensor::zeros({plain.spec.dtype, {p.e, w.panels, depth * kPanelRows}});
  for (std::int64_t expert = 0; expert < p.e; ++expert) {
    for (std::int64_t row = 0; row < w.rows; ++row) {
      const std::int64_t place = packed_row(p, w.is_w13, row);
      const std::byte* from = plain.data + (expert * w.rows + row) * w.k;
      std::byte* panel =
          packed.data.data() + (expert * w.panels + place / kPanelRows) * depth * kPanelRows;
      pack_row(order_of(p), from, w.k, {panel, place % kPanelRows});
    }
  }
  return packed;
}

Tensor pack_scales(const ExpertsProblem& p, const Weight& w, const TensorView& plain) {
  const std::int64_t channels = w.panels * kPanelRows;
  Tensor packed = Tensor::zeros({DType::kF32, {p.e, channels}});
  const auto* from = reinterpret_cast<const float*>(plain.data);
  for (std::int64_t expert = 0; expert < p.e; ++expert) {
    for (std::int64_t row = 0; row < w.rows; ++row) {
      packed.as<float>()[expert * channels + packed_row(p, w.is_w13, row)] =
          from[expert * w.rows + row];
    }
  }
  return packed;
}

std::vector<Wanted> wanted_tensors(const ExpertsProblem& p) {
  const DType type = is_int8(p) ? DType::kI8 : DType::kE4m3fn;
  const std::int64_t w13 = w13_panels(p);
  const std::int64_t w2 = panels_of(p.h);
  return {{"w13", type, {p.e, w13, depth_of(p, p.h) * kPanelRows}},
          {"w2", type, {p.e, w2, depth_of(p, p.i) * kPanelRows}},
          {"w13_scale", DType::kF32, {p.e, w13 * kPanelRows}},
          {"w2_scale", DType::kF32, {p.e, w2 * kPanelRows}}};
}

std::vector<WantedNumber> original_shapes(const ExpertsProblem& p) {
  return {{"w13_rows", p.w13_rows()},
          {"w13_k", p.h},
          {"w2_rows", p.h},
          {"w2_k", p.i},
          {"experts", p.e}};
}

/// Exactly one of the two modes, and the one that the problem is in.
std::optional<Refusal> refuse_flags(const ExpertsProblem& p, const QuantRecord& record) {
  std::int64_t flags[2] = {};
  const char* names[2] = {"use_int8_w8a8", "use_fp8_w8a8"};
  for (int f = 0; f < 2; ++f) {
    const auto it = record.numbers.find(names[f]);
    if (it == record.numbers.end()) {
      return Refusal{Status::kMissing, std::string(names[f]) + " is given",
                     "the record has no " + std::string(names[f])};
    }
    flags[f] = it->second;
  }
  const std::int64_t wanted[2] = {is_int8(p) ? 1 : 0, is_int8(p) ? 0 : 1};
  if (flags[0] == wanted[0] && flags[1] == wanted[1]) return std::nullopt;
  return Refusal{Status::kUnsupported,
                 "exactly one of use_int8_w8a8 and use_fp8_w8a8 is 1, the one of " + p.quant,
                 "use_int8_w8a8 = " + std::to_string(flags[0]) +
                     ", use_fp8_w8a8 = " + std::to_string(flags[1])};
}

}  // namespace

PanelOrder order_of(const ExpertsProblem& p) {
  if (!is_int8(p)) return PanelOrder::kTiles;
  return p.pack == "kpack2" ? PanelOrder::kPairs : PanelOrder::kColumns;
}

std::int64_t depth_of(const ExpertsProblem& p, std::int64_t k) {
  const std::int64_t step = is_int8(p) ? 64 : 32;
  return ceil_div(k, step) * step;
}

std::int64_t panels_of(std::int64_t rows) { return ceil_div(rows, kPanelRows); }

std::int64_t w13_panels(const ExpertsProblem& p) {
  return (p.activation.gated() ? 2 : 1) * panels_of(p.i);
}

std::int64_t place_in_panel(PanelOrder order, std::int64_t row, std::int64_t k) {
  switch (order) {
    case PanelOrder::kColumns:
      return k * kPanelRows + row;
    case PanelOrder::kPairs:
      return k / 2 * 2 * kPanelRows + row * 2 + k % 2;
    case PanelOrder::kTiles:
      break;
  }
  return k / 32 * 32 * kPanelRows + row * 32 + k % 32;
}

QuantRecord pack_weights(const ExpertsProblem& p, const TensorViews& weights) {
  QuantRecord record;
  record.tag = "lightop";
  for (const Weight& w : weights_of(p)) {
    const std::string scale = w.name + "_scale";
    record.tensors[w.name] = pack_codes(p, w, weights.find(w.name)->second);
    record.tensors[scale] = pack_scales(p, w, weights.find(scale)->second);
  }
  record.numbers = {{"use_int8_w8a8", is_int8(p) ? 1 : 0},
                    {"use_fp8_w8a8", is_int8(p) ? 0 : 1},
                    {"kpack", kpack_of(p)}};
  for (const WantedNumber& n : original_shapes(p)) record.numbers[std::string(n.name)] = n.value;
  return record;
}

std::optional<Refusal> refuse_record(const ExpertsProblem& p, const QuantRecord& record) {
  if (auto refusal = refuse_tag(record, "lightop")) return refusal;
  if (auto refusal = refuse_flags(p, record)) return refusal;
  if (record.numbers.find("kpack") == record.numbers.end()) {
    return Refusal{Status::kMissing, "kpack is given", "the record has no kpack"};
  }
  if (auto refusal = refuse_fields(record, wanted_tensors(p), original_shapes(p),
                                   {"use_int8_w8a8", "use_fp8_w8a8", "kpack"})) {
    return refusal;
  }
  const std::int64_t kpack = record.numbers.find("kpack")->second;
  if (kpack == kpack_of(p)) return std::nullopt;
  return Refusal{Status::kLayout, "kpack = " + std::to_string(kpack_of(p)),
                 "kpack = " + std::to_string(kpack)};
}

}  // namespace plumbline::device::lightop
