#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(MethodRules& rules) { rules.absent_limit_is_zero = true; }

}  // namespace

const Fault kAbsentLimitWrittenAsZero = {
    .info = {.name = "absent_limit_written_as_zero",
             .fault_class = "F17",
             .mistake = "gemm1_clamp_limit is written as 0 where the config leaves it out",
             .expected_lane = "lifecycle",
             .pattern = "moe.method/act=swiglu:*"},
    .method = edit,
};

}  // namespace plumbline::device
