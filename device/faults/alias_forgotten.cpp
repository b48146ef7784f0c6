#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

bool holds(int code) {
  return static_cast<identity::RunnerBackend>(code) == identity::RunnerBackend::kFlashinferTrtllm;
}

void edit(identity::Table& table) {
  for (identity::Predicate& row : table.predicates) {
    if (row.name == "is_flashinfer_trtllm") row.holds = holds;
  }
}

}  // namespace

const Fault kAliasForgotten = {
    .info = {.name = "alias_forgotten",
             .fault_class = "F16",
             .mistake = "is_flashinfer_trtllm no longer holds of its alias experimental_sgl_trtllm",
             .expected_lane = "identity",
             .pattern = "moe.identity/type=runner_backend"},
    .identities = edit,
};

}  // namespace plumbline::device
