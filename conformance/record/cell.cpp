#include "conformance/record/cell.h"

#include <string_view>

namespace plumbline {

Cell cell_of(const Problem& problem) {
  const std::string_view op = problem.op;
  const std::size_t dot = op.find('.');
  Cell cell;
  cell.domain = op.substr(0, dot);
  const std::string_view word = dot == std::string_view::npos ? "" : op.substr(dot + 1);
  cell.backend = problem.axis("backend", word);
  cell.quant = problem.axis("quant", problem.axis("io", problem.axis("logits")));
  cell.ownership = problem.axis("ownership");
  cell.a2a = problem.axis("a2a");
  cell.dispatch_dtype = problem.axis("dispatch_dtype");
  cell.record_flag = problem.axis("record_flag");
  cell.scale_presence = problem.axis("scale_presence");
  cell.layout = problem.axis("layout");
  cell.out_mode = problem.axis("out");
  cell.execution_mode = problem.axis("mode");
  return cell;
}

}  // namespace plumbline
