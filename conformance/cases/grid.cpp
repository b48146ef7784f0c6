#include "conformance/cases/grid.h"

#include <algorithm>
#include <array>
#include <string>

#include "reference/spec/ids.h"
#include "reference/spec/problems.h"

namespace plumbline::cases {
namespace {

constexpr std::array kIoTypes = {DType::kBf16, DType::kF16, DType::kF32};
constexpr std::array kScorings = {Scoring::kNone, Scoring::kSoftmax, Scoring::kSigmoid,
                                  Scoring::kSqrtSoftplus};
constexpr std::array kMasks = {Mask::kFull, Mask::kCausal, Mask::kSliding};
constexpr std::array kOutModes = {OutMode::kAbsent, OutMode::kInPlace, OutMode::kCopied};

Cell with_state(const Manifest& manifest, const std::vector<Problem>& members) {
  Cell cell = cell_of(members.front());
  const bool offered = std::any_of(members.begin(), members.end(), [&](const Problem& problem) {
    return manifest.path_for(problem) != nullptr;
  });
  cell.state = offered ? "offered" : "not_offered";
  if (!offered) cell.reason = "no path of " + manifest.name + "'s manifest claims it";
  return cell;
}

Cell experts_cell(std::string_view backend, std::string_view quant, std::string_view ownership,
                  const Manifest& manifest) {
  ExpertsProblem problem;
  problem.backend = backend;
  problem.quant = quant;
  problem.ownership = ownership;
  std::vector<Problem> members;
  for (const DType io : kIoTypes) {
    problem.io = io;
    members.push_back(problem.to_problem());
  }
  return with_state(manifest, members);
}

void add_experts(std::vector<Cell>& cells, const Manifest& manifest) {
  for (const RunnerBackend& backend : all_runner_backends()) {
    for (const QuantScheme& quant : all_quant_schemes()) {
      for (const std::string_view ownership : all_ownerships())
        cells.push_back(experts_cell(backend.name, quant.name, ownership, manifest));
    }
  }
}

void add_routes(std::vector<Cell>& cells, const Manifest& manifest) {
  for (const Scoring scoring : kScorings) {
    RouteProblem problem;
    problem.scoring = scoring;
    std::vector<Problem> members;
    for (const bool after : {false, true}) {
      problem.softmax_after_topk = after;
      members.push_back(problem.to_problem());
    }
    cells.push_back(with_state(manifest, members));
  }
}

/// Every io type and every mode of out of one mask.
void add_attention(std::vector<Cell>& cells, const Manifest& manifest, bool decode, Mask mask) {
  AttentionProblem problem;
  problem.decode = decode;
  problem.mask = mask;
  problem.w = mask == Mask::kSliding ? 8 : 0;
  for (const DType io : kIoTypes) {
    for (const OutMode mode : kOutModes) {
      problem.io = io;
      problem.out_mode = mode;
      cells.push_back(with_state(manifest, {problem.to_problem()}));
    }
  }
}

}  // namespace

std::vector<Cell> full_grid(const Manifest& manifest) {
  std::vector<Cell> cells;
  add_experts(cells, manifest);
  add_routes(cells, manifest);
  for (const bool decode : {false, true}) {
    for (const Mask mask : kMasks) add_attention(cells, manifest, decode, mask);
  }
  return cells;
}

}  // namespace plumbline::cases
