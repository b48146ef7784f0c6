#include "conformance/cases/grid.h"

#include <algorithm>
#include <array>
#include <string>

#include "reference/contract/runner_table.h"
#include "reference/spec/identity.h"
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

/// Why the ownership cannot come about where create_runner constructs nothing, or something;
/// empty: it can.
std::string excluded_because(std::string_view ownership, contract::Constructs constructs) {
  const bool runner = constructs == contract::Constructs::kYes;
  const bool owns = ownership.starts_with("owner") || ownership == "recreated_owner";
  if (owns && !runner) return "create_runner constructs no runner there: see created_empty";
  if (ownership == "recreated_empty" && !runner) return "there is no owner to re-create";
  if (ownership == "created_empty" && runner) return "create_runner constructs a runner there";
  return "";
}

/// A cell whose life cycle the manifest claims: what the contract says of it.
void judge_by_contract(Cell& cell, bool has_kernel) {
  const auto* row = contract::find_runner_row(cell.quant, cell.backend);
  if (row == nullptr) return;
  const bool creates = cell.ownership != "never_created" && !cell.ownership.starts_with("borrower");
  if (creates && row->constructs == contract::Constructs::kRefused) {
    cell.state = "refused";
    cell.reason = "create_runner refuses: " + row->evidence;
    return;
  }
  cell.reason = excluded_because(cell.ownership, row->constructs);
  if (!cell.reason.empty()) {
    cell.state = "excluded";
  } else if (!has_kernel) {
    cell.reason = "the life cycle alone: no kernel for the backend";
  }
}

Cell experts_cell(std::string_view backend, std::string_view quant, std::string_view ownership,
                  const Manifest& manifest) {
  ExpertsProblem problem;
  problem.backend = backend;
  problem.quant = quant;
  std::vector<Problem> kernels, cycles;
  for (const DType io : kIoTypes) {
    problem.io = io;
    kernels.push_back(problem.to_problem());
    MethodProblem method;
    method.layer = problem;
    method.ownership = ownership;
    cycles.push_back(method.to_problem());
  }
  const auto claims = [&](const Problem& p) { return manifest.path_for(p) != nullptr; };
  const bool has_kernel = std::any_of(kernels.begin(), kernels.end(), claims);
  Cell cell = with_state(manifest, cycles);
  if (cell.state == "offered") {
    judge_by_contract(cell, has_kernel);
  } else if (has_kernel && ownership == "owner") {
    cell.state = "offered";
    cell.reason = "";
  }
  return cell;
}

void add_identities(std::vector<Cell>& cells, const Manifest& manifest) {
  for (const TaggedType& type : all_tagged_types()) {
    IdentityProblem problem;
    problem.type = type.name;
    problem.value = type.values.front().name;
    cells.push_back(with_state(manifest, {problem.to_problem()}));
  }
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
  add_identities(cells, manifest);
  add_routes(cells, manifest);
  for (const bool decode : {false, true}) {
    for (const Mask mask : kMasks) add_attention(cells, manifest, decode, mask);
  }
  return cells;
}

}  // namespace plumbline::cases
