#include "device/moe/layer.h"

#include <algorithm>
#include <utility>

#include "device/kernels/expert_gemm.h"
#include "reference/spec/constraint.h"

namespace plumbline::device {
namespace {

/// Most blocks of a launch along y.
constexpr std::int64_t kLargestGrid = 65535;
/// Largest k whose sum of products of bytes stays within 32 bits.
constexpr std::int64_t kLargestIntegerDepth = 131071;

/// Element type of plain weights.
DType weight_type(const ExpertsProblem& p) {
  const auto scheme = quant_from_name(p.quant);
  return scheme && scheme->weight_scale != Granularity::kNone ? scheme->weight : p.io;
}

std::optional<Refusal> refuse_values(const QuantRecord& record,
                                     const std::vector<WantedNumber>& numbers) {
  for (const WantedNumber& wanted : numbers) {
    const std::int64_t got = record.numbers.find(wanted.name)->second;
    if (got == wanted.value) continue;
    const std::string name(wanted.name);
    return Refusal{Status::kShape, name + " = " + std::to_string(wanted.value),
                   name + " = " + std::to_string(got)};
  }
  return std::nullopt;
}

std::optional<Refusal> refuse_number_names(const QuantRecord& record,
                                           const std::vector<WantedNumber>& numbers,
                                           const std::vector<std::string_view>& flags) {
  for (const auto& [name, value] : record.numbers) {
    const auto is_it = [&name = name](const WantedNumber& n) { return n.name == name; };
    if (std::find(flags.begin(), flags.end(), name) != flags.end()) continue;
    if (std::any_of(numbers.begin(), numbers.end(), is_it)) continue;
    return Refusal{Status::kUnexpected, "no number beyond those of " + record.tag,
                   "\"" + name + "\" is given"};
  }
  for (const WantedNumber& wanted : numbers) {
    if (record.numbers.find(wanted.name) != record.numbers.end()) continue;
    const std::string name(wanted.name);
    return Refusal{Status::kMissing, name + " is given", "the record has no " + name};
  }
  return std::nullopt;
}

}  // namespace

std::int64_t ceil_div(std::int64_t count, std::int64_t part) { return (count + part - 1) / part; }

std::vector<Wanted> wanted_routing(const ExpertsProblem& p) {
  return {{"x", p.io, {p.t, p.h}},
          {"topk_ids", DType::kI32, {p.t, p.k}},
          {"topk_weights", DType::kF32, {p.t, p.k}}};
}

std::vector<Wanted> wanted_weights(const ExpertsProblem& p) {
  const std::int64_t rows = p.w13_rows();
  const DType weight = weight_type(p);
  std::vector<Wanted> wanted = {{"w13", weight, {p.e, rows, p.h}}, {"w2", weight, {p.e, p.h, p.i}}};
  if (p.has_bias) {
    wanted.push_back({"w13_bias", p.io, {p.e, rows}});
    wanted.push_back({"w2_bias", p.io, {p.e, p.h}});
  }
  if (p.quant == "fp8_block128") {
    const std::int64_t h_blocks = ceil_div(p.h, kScaleBlock);
    const std::int64_t i_blocks = ceil_div(p.i, kScaleBlock);
    wanted.push_back({"w13_scale", DType::kF32, {p.e, ceil_div(rows, kScaleBlock), h_blocks}});
    wanted.push_back({"w2_scale", DType::kF32, {p.e, h_blocks, i_blocks}});
  } else if (p.quant == "w8a8_int8" || p.quant == "w8a8_fp8_channel") {
    wanted.push_back({"w13_scale", DType::kF32, {p.e, rows}});
    wanted.push_back({"w2_scale", DType::kF32, {p.e, p.h}});
  }
  return wanted;
}

std::optional<Refusal> refuse_ids(const ExpertsProblem& p, const TensorViews& inputs) {
  for (const std::int32_t id : elements_of<std::int32_t>(inputs, "topk_ids")) {
    if (id >= -1 && id < p.e + p.z) continue;
    return Refusal{Status::kUnsupported, "topk_ids in [-1, e + z)",
                   "topk_ids has " + std::to_string(id) + ", e + z = " + std::to_string(p.e + p.z)};
  }
  return std::nullopt;
}

std::optional<Refusal> refuse_sizes(const ExpertsProblem& p,
                                    const std::vector<std::string>& constraints) {
  const Problem problem = p.to_problem();
  for (const std::string& rule : constraints) {
    if (holds(rule, problem)) continue;
    return Refusal{Status::kShape, rule,
                   "h = " + std::to_string(p.h) + ", i = " + std::to_string(p.i) +
                       ", z = " + std::to_string(p.z)};
  }
  return std::nullopt;
}

std::int64_t row_tiles_of(const ExpertsProblem& p) {
  const std::int64_t rows = p.t * p.k;
  return std::min(rows, ceil_div(rows, kRowTile) + p.e);
}

std::optional<Refusal> refuse_capacity(const ExpertsProblem& p) {
  if (row_tiles_of(p) > kLargestGrid) {
    return Refusal{Status::kCapacity, "row tiles <= " + std::to_string(kLargestGrid),
                   "t * k = " + std::to_string(p.t * p.k) + ", e = " + std::to_string(p.e)};
  }
  if (p.quant == "w8a8_int8" && std::max(p.h, p.i) > kLargestIntegerDepth) {
    return Refusal{Status::kCapacity, "h and i <= " + std::to_string(kLargestIntegerDepth),
                   "h = " + std::to_string(p.h) + ", i = " + std::to_string(p.i)};
  }
  return std::nullopt;
}

GemmArgs plan_gemm(const ExpertsProblem& p, std::int64_t n, std::int64_t k) {
  GemmArgs args;
  args.rows = static_cast<std::int32_t>(p.t * p.k);
  args.n = static_cast<std::int32_t>(n);
  args.k = static_cast<std::int32_t>(k);
  args.k_end = args.k;
  args.b_scale_last = static_cast<std::int32_t>(ceil_div(k, kScaleBlock)) - 1;
  args.column_tiles = gemm_column_tiles(args.n);
  args.row_tiles = static_cast<std::int32_t>(row_tiles_of(p));
  return args;
}

ActivationArgs plan_activation(const ExpertsProblem& p) {
  ActivationArgs args;
  args.rows = static_cast<std::int32_t>(p.t * p.k);
  args.columns = static_cast<std::int32_t>(p.i);
  args.in_columns = static_cast<std::int32_t>(p.w13_rows());
  args.up_offset = p.activation.gated() ? args.columns : 0;
  args.alpha = static_cast<float>(p.activation.alpha);
  args.beta = static_cast<float>(p.activation.beta);
  args.limit = static_cast<float>(p.activation.limit);
  switch (p.activation.kind) {
    case Activation::Kind::kSilu:
      args.kind = GateKind::kSilu;
      break;
    case Activation::Kind::kSwiglu:
      args.kind = GateKind::kSwiglu;
      break;
    case Activation::Kind::kRelu2:
      args.kind = GateKind::kRelu2;
      break;
  }
  return args;
}

CombineArgs plan_combine(const ExpertsProblem& p) {
  CombineArgs args;
  args.tokens = static_cast<std::int32_t>(p.t);
  args.columns = static_cast<std::int32_t>(p.h);
  args.k = static_cast<std::int32_t>(p.k);
  args.experts = static_cast<std::int32_t>(p.e);
  args.identities = static_cast<std::int32_t>(p.z);
  args.scale = static_cast<float>(p.scale);
  return args;
}

OfferedPath offered_path(std::string name, std::string backend, std::string quant) {
  OfferedPath path;
  path.name = std::move(name);
  path.op = "moe.experts";
  path.axes = {{"backend", {std::move(backend)}},
               {"quant", {std::move(quant)}},
               {"ownership", {"owner"}},
               {"act", {"silu", "relu2", "swiglu:*"}},
               {"bias", {"no", "yes"}},
               {"io", {"bf16"}},
               {"weight", {"output"}},
               {"pack", {"plain"}}};
  return path;
}

void take_words(OfferedPath& path, const std::string& axis, const std::vector<std::string>& words) {
  for (auto& [name, taken] : path.axes) {
    if (name == axis) taken = words;
  }
}

void observe(const ExpertCall& call, std::string_view name, TensorSpec spec, const Buffer& buffer,
             const Stream& stream) {
  if (call.observer == nullptr) return;
  stream.wait();
  Tensor tensor = Tensor::zeros(std::move(spec));
  if (std::ssize(tensor.data) != buffer.bytes()) {
    throw ContractViolation(std::string(name) + " is shown as " + tensor.spec.text());
  }
  buffer.download(tensor.data.data(), stream);
  stream.wait();
  (*call.observer)(name, {tensor.spec, tensor.data.data()});
}

std::optional<Refusal> refuse_fields(const QuantRecord& record, const std::vector<Wanted>& tensors,
                                     const std::vector<WantedNumber>& numbers,
                                     const std::vector<std::string_view>& flags) {
  if (auto refusal = refuse_number_names(record, numbers, flags)) return refusal;
  auto refusal = check_tensors(tensors, views_of(record.tensors));
  if (refusal && refusal->status != Status::kLayout) return refusal;
  if (auto shape = refuse_values(record, numbers)) return shape;
  return refusal;
}

std::optional<Refusal> refuse_tag(const QuantRecord& record, std::string_view tag) {
  if (record.tag == tag) return std::nullopt;
  return Refusal{Status::kUnsupported, "the record's tag is " + std::string(tag),
                 "\"" + record.tag + "\""};
}

}  // namespace plumbline::device
