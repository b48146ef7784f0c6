#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(AttentionPlan& plan) {
  if (plan.problem.decode) plan.args.length_multiple = plan.args.page;
}

}  // namespace

const Fault kPagedTailNotMasked = {
    .info = {.name = "paged_tail_not_masked",
             .fault_class = "F16",
             .mistake =
                 "the slots behind the end of a sequence in its last page are taken for keys",
             .expected_lane = "W",
             .pattern = "attention.decode"},
    .experts = nullptr,
    .attention = edit,
    .route = nullptr,
};

}  // namespace plumbline::device
