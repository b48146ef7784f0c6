#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(AttentionPlan& plan) { plan.copies_back = false; }

}  // namespace

const Fault kOutNotWrittenInOneMode = {
    .info = {.name = "out_not_written_in_one_mode",
             .fault_class = "F16",
             .mistake = "with out=copied the result is not copied to the caller",
             .expected_lane = "W",
             .pattern = "attention.*/out=copied"},
    .experts = nullptr,
    .attention = edit,
    .route = nullptr,
};

}  // namespace plumbline::device
