#include "conformance/record/cell.h"

#include <algorithm>
#include <string>

namespace plumbline {

Cell cell_of(const Problem& problem) {
  Cell cell;
  cell.domain = problem.op.substr(0, problem.op.find('.'));
  const std::string path = problem.op.substr(std::min(problem.op.find('.') + 1, problem.op.size()));
  if (problem.op == "moe.experts" || problem.op == "moe.method") {
    cell.backend = problem.axis("backend", "triton");
    cell.quant = problem.axis("quant", "bf16");
    cell.ownership = problem.axis("ownership", "owner");
    cell.a2a = "none";
  } else if (problem.op == "moe.identity") {
    cell.backend = path + "/" + std::string(problem.axis("type", "runner_backend"));
  } else if (problem.op == "moe.route") {
    cell.backend = path + "/" + std::string(problem.axis("scoring", "softmax"));
  } else {
    cell.backend = path + "/" + std::string(problem.axis("mask", "causal"));
    cell.quant = problem.axis("io", "bf16");
    cell.layout = path == "decode" ? "paged" : "varlen";
    cell.out_mode = problem.axis("out", "absent");
  }
  cell.execution_mode = "eager";
  return cell;
}

}  // namespace plumbline
