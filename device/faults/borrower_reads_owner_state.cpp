#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(MethodRules& rules) { rules.process_reads_runner = true; }

}  // namespace

const Fault kBorrowerReadsOwnerState = {
    .info = {.name = "borrower_reads_owner_state",
             .fault_class = "F17",
             .mistake =
                 "process_weights reads the runner's configuration though a borrower never got one",
             .expected_lane = "crash",
             .pattern = "moe.method/ownership=borrower_*"},
    .method = edit,
};

}  // namespace plumbline::device
