#include "conformance/properties/trial.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "conformance/inputs/generator.h"
#include "conformance/inputs/inputs.h"
#include "conformance/judge/guard.h"
#include "reference/bounds/evaluate.h"
#include "reference/formats/codec.h"

namespace plumbline::properties {
namespace {

struct Call {
  Answer answer;
  Tensors outputs;
};

/// One call in guarded memory. `out` is not given where the problem says so.
Call call(Implementation& implementation, const Problem& problem, const Tensors& inputs) {
  std::map<std::string, TensorSpec> specs = inputs::output_specs(problem, inputs);
  std::map<std::string, TensorSpec> given = specs;
  const bool has_modes = problem.op.starts_with("attention.");
  if (has_modes && problem.axis("out", "absent") == "absent") given.erase("out");
  judge::GuardedTensors in(inputs, judge::Edge::kEnd);
  judge::GuardedTensors out(given, judge::Edge::kEnd);
  Call result;
  result.answer = implementation.run(problem, in.views(), out.views());
  result.outputs = out.copies();
  for (const auto& [name, tensor] : result.answer.returned) result.outputs[name] = tensor;
  return result;
}

Judgement stopped(const Trial& trial, Verdict verdict, const std::string& reason) {
  return judge::verdict(verdict, trial.lane, reason);
}

std::int64_t inner_bytes(const TensorSpec& spec, std::size_t axis) {
  std::int64_t bytes = bytes_of(spec.dtype, 1);
  for (std::size_t a = axis + 1; a < spec.shape.size(); ++a) bytes *= spec.shape[a];
  return bytes;
}

template <class Compare>
Judgement compare_all(const Trial& trial, const Tensors& expected, const Tensors& got,
                      Compare compare) {
  std::vector<Judgement> all;
  for (const auto& [name, tensor] : expected) {
    const auto found = got.find(name);
    if (found == got.end()) {
      all.push_back(stopped(trial, Verdict::kFail, "the changed case gave no " + name));
    } else {
      all.push_back(compare(name, tensor, found->second));
    }
  }
  Judgement worst = judge::worst_of(all);
  worst.lane = trial.lane;
  return worst;
}

}  // namespace

Trial start(const Case& base, Implementation& implementation, std::string_view relation,
            Tensors inputs) {
  Trial trial;
  trial.base = base;
  trial.implementation = &implementation;
  trial.lane = "relation:" + std::string(relation);
  if (implementation.manifest().path_for(base.problem) == nullptr) {
    trial.stop = stopped(trial, Verdict::kNotOffered, "no path claims " + base.problem.text());
    return trial;
  }
  trial.inputs = std::move(inputs);
  Call first = call(implementation, base.problem, trial.inputs);
  if (first.answer.status != Status::kOk) {
    trial.stop = stopped(trial, Verdict::kRefused, first.answer.message);
  }
  trial.outputs = std::move(first.outputs);
  return trial;
}

Trial start(const Case& base, Implementation& implementation, std::string_view relation) {
  return start(base, implementation, relation, inputs::make(base));
}

Rerun rerun(const Trial& trial, const Problem& problem, const Tensors& inputs) {
  Rerun result;
  if (trial.implementation->manifest().path_for(problem) == nullptr) {
    result.stop = stopped(trial, Verdict::kNotOffered, "no path claims " + problem.text());
    return result;
  }
  Call second = call(*trial.implementation, problem, inputs);
  if (second.answer.status != Status::kOk) {
    result.stop =
        stopped(trial, Verdict::kFail,
                "the changed case " + problem.text() + " was refused: " + second.answer.message);
  }
  result.outputs = std::move(second.outputs);
  return result;
}

Judgement same(const Trial& trial, const Tensors& expected, const Tensors& got) {
  return compare_all(trial, expected, got,
                     [&](const std::string& name, const Tensor& wanted, const Tensor& have) {
                       return judge::same_bits(name, wanted, have, trial.lane);
                     });
}

Judgement same_values(const Trial& trial, const Tensors& expected, const Tensors& got) {
  return compare_all(
      trial, expected, got, [&](const std::string& name, const Tensor& wanted, const Tensor& have) {
        Expected exact{wanted.spec.dtype, wanted.spec.shape, formats::decode(wanted), {}};
        exact.radius.assign(exact.value.size(), 0.0);
        return judge::numeric(name, exact, have);
      });
}

Judgement both_in_radius(const Trial& trial, const Problem& problem, const Tensors& inputs,
                         const Tensors& got) {
  const OfferedPath* path = trial.implementation->manifest().path_for(problem);
  if (path == nullptr) throw ContractViolation("no path claims " + problem.text());
  const ExpectedTensors bounds = bounds::evaluate(problem, inputs, path->profile);
  return compare_all(trial, trial.outputs, got,
                     [&](const std::string& name, const Tensor& wanted, const Tensor& have) {
                       Expected twice = bounds.at(name);
                       twice.value = formats::decode(wanted);
                       for (double& radius : twice.radius) radius *= 2.0;
                       return judge::numeric(name, twice, have);
                     });
}

Judgement nothing_to_change(const Trial& trial, std::string_view why) {
  return stopped(trial, Verdict::kNotOffered, std::string(why));
}

std::vector<std::int64_t> draw(std::int64_t count, std::int64_t below, std::uint64_t seed,
                               std::string_view name) {
  const inputs::Stream stream(seed, "relation." + std::string(name));
  std::vector<std::int64_t> drawn(static_cast<std::size_t>(count));
  for (std::size_t n = 0; n < drawn.size(); ++n) {
    drawn[n] = static_cast<std::int64_t>(stream.below(n, static_cast<std::uint64_t>(below)));
  }
  return drawn;
}

std::vector<std::int64_t> permutation(std::int64_t count, std::uint64_t seed,
                                      std::string_view name) {
  const inputs::Stream stream(seed, "relation." + std::string(name));
  std::vector<std::int64_t> order = first(count);
  for (std::size_t n = order.size(); n > 1; --n) {
    std::swap(order[n - 1], order[stream.below(n, n)]);
  }
  return order;
}

std::vector<std::int64_t> first(std::int64_t count) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
  std::iota(indices.begin(), indices.end(), std::int64_t{0});
  return indices;
}

Tensor take(const Tensor& tensor, std::span<const std::int64_t> indices, std::size_t axis) {
  TensorSpec spec = tensor.spec;
  const std::int64_t extent = spec.shape.at(axis);
  spec.shape[axis] = static_cast<std::int64_t>(indices.size());
  const std::int64_t inner = inner_bytes(spec, axis);
  std::int64_t outer = 1;
  for (std::size_t a = 0; a < axis; ++a) outer *= spec.shape[a];
  Tensor result = Tensor::zeros(spec);
  auto to = result.data.begin();
  for (std::int64_t o = 0; o < outer; ++o) {
    for (const std::int64_t index : indices) {
      const auto from = tensor.data.begin() + (o * extent + index) * inner;
      to = std::copy(from, from + inner, to);
    }
  }
  return result;
}

void poison_row(Tensor& tensor, std::int64_t index) {
  const auto width = static_cast<std::size_t>(bytes_of(tensor.spec.dtype, 1));
  const std::uint64_t code = judge::canary(tensor.spec.dtype);
  const std::int64_t row = inner_bytes(tensor.spec, 0);
  for (std::int64_t at = index * row; at < (index + 1) * row; ++at) {
    const auto byte = static_cast<std::size_t>(at) % width;
    tensor.data[static_cast<std::size_t>(at)] = static_cast<std::byte>(code >> (8 * byte));
  }
}

void copy_row(Tensor& tensor, std::int64_t from, std::int64_t to) {
  const std::int64_t row = inner_bytes(tensor.spec, 0);
  std::copy_n(tensor.data.begin() + from * row, row, tensor.data.begin() + to * row);
}

Tensor scaled(const Tensor& tensor, double power_of_two) {
  std::vector<double> values = formats::decode(tensor);
  for (double& value : values) value *= power_of_two;
  Tensor result = formats::encode(tensor.spec, values);
  const std::vector<double> back = formats::decode(result);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (back[i] != values[i] && !std::isnan(values[i])) {
      throw ContractViolation("a value does not scale exactly: " + std::to_string(values[i]));
    }
  }
  return result;
}

void drop_tiny(const Tensor& base, Tensor& expected, Tensor& got) {
  if (got.spec != expected.spec) return;
  const std::vector<double> sizes = formats::decode(base);
  for (Tensor* tensor : {&expected, &got}) {
    std::vector<double> values = formats::decode(*tensor);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::abs(sizes[i]) < kScalesExactlyFrom) values[i] = 0.0;
    }
    *tensor = formats::encode(tensor->spec, values);
  }
}

}  // namespace plumbline::properties
