#include "conformance/run/confusion.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "conformance/inputs/inputs.h"
#include "conformance/judge/judge.h"
#include "conformance/run/parallel.h"
#include "conformance/run/plan.h"
#include "reference/bounds/evaluate.h"
#include "reference/spec/problems.h"

namespace plumbline::run {
namespace {

std::string trait_of(const OfferedPath& path, std::string_view name) {
  for (const auto& [trait, word] : path.traits) {
    if (trait == name) return word;
  }
  return "";
}

std::string first_word(const OfferedPath& path, std::string_view axis) {
  for (const auto& [name, words] : path.axes) {
    if (name == axis && !words.empty()) return words.front();
  }
  return "";
}

bool declared_equal(const OfferedPath& a, const OfferedPath& b) {
  const std::string packer = trait_of(a, "packer");
  return !packer.empty() && packer == trait_of(b, "packer") &&
         trait_of(a, "weight_order") == trait_of(b, "weight_order");
}

/// A layer of sizes that every packer takes, other for each seed.
Case layer_of(const OfferedPath& path, std::int64_t number) {
  constexpr std::int64_t kWhole = 128;
  ExpertsProblem p;
  p.backend = first_word(path, "backend");
  p.quant = first_word(path, "quant");
  p.pack = first_word(path, "pack");
  if (p.pack.empty()) p.pack = "plain";
  const bool blocked = quant_from_name(p.quant)->weight_block > 0;
  p.t = 3 + number % 5;
  p.h = blocked ? kWhole * (1 + number % 2) : 32 * (2 + number % 4);
  p.i = blocked ? kWhole : 16 * (2 + 2 * (number % 3));
  p.e = 4;
  p.k = 2;
  if (number % 2 == 1) p.activation = Activation{Activation::Kind::kSwiglu, 1.702, 1.0, 7.0};
  return {p.to_problem(), "gaussian", static_cast<std::uint64_t>(number)};
}

/// `to` with the bytes that `from` has under the same names, as many as fit.
QuantRecord relabelled(const QuantRecord& from, QuantRecord to) {
  for (auto& [name, tensor] : to.tensors) {
    const auto found = from.tensors.find(name);
    if (found == from.tensors.end()) continue;
    const std::vector<std::byte>& bytes = found->second.data;
    std::copy_n(bytes.begin(), std::min(bytes.size(), tensor.data.size()), tensor.data.begin());
  }
  return to;
}

/// Whether the answer to a layer with another path's weights is anything but right.
bool is_noticed(Implementation& implementation, const OfferedPath& from, const OfferedPath& to,
                std::int64_t number) {
  const Case given = layer_of(to, number);
  const Tensors inputs = inputs::make(given);
  Tensors tokens;
  Tensors weights = inputs;
  for (const char* name : {"x", "topk_ids", "topk_weights"}) tokens.insert(weights.extract(name));
  const auto packed = implementation.pack(layer_of(from, number).problem, views_of(weights));
  const auto own = implementation.pack(given.problem, views_of(weights));
  if (!packed || !own) {
    throw ContractViolation("pack refused: " + (packed ? own : packed).refusal().text());
  }
  const Answer answer =
      implementation.run_packed(given.problem, relabelled(*packed, *own), views_of(tokens), {});
  if (answer.status != Status::kOk) return true;
  const auto expected = bounds::evaluate(given.problem, inputs, to.profile);
  const auto got = answer.returned.find("out");
  if (got == answer.returned.end()) return true;
  const judge::Judgement judged = judge::numeric("out", expected.find("out")->second, got->second);
  return judged.verdict != Verdict::kPass;
}

std::vector<const OfferedPath*> packing_paths(const Manifest& manifest) {
  std::vector<const OfferedPath*> paths;
  for (const OfferedPath& path : manifest.paths) {
    if (path.op == "moe.experts" && !trait_of(path, "packer").empty()) paths.push_back(&path);
  }
  return paths;
}

}  // namespace

std::vector<ConfusedPair> confuse_packers(Implementation& implementation, std::int64_t cases,
                                          int jobs) {
  const auto paths = packing_paths(implementation.manifest());
  std::vector<ConfusedPair> pairs;
  const auto confuse = [&](const OfferedPath& from, const OfferedPath& to) {
    std::atomic<std::int64_t> noticed = 0;
    parallel(static_cast<std::size_t>(cases), jobs, [&](std::size_t number) {
      if (is_noticed(implementation, from, to, static_cast<std::int64_t>(number))) ++noticed;
    });
    const bool equal = &from == &to || declared_equal(from, to);
    pairs.push_back({from.name, to.name, equal, cases, noticed});
  };
  for (const OfferedPath* from : paths) {
    for (const OfferedPath* to : paths) {
      if (first_word(*from, "quant") == first_word(*to, "quant")) confuse(*from, *to);
    }
  }
  return pairs;
}

}  // namespace plumbline::run
