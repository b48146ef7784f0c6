#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(MethodRules& rules) { rules.parameters_need_ownership = false; }

}  // namespace

const Fault kParametersWrittenByABorrower = {
    .info = {.name = "parameters_written_by_a_borrower",
             .fault_class = "F17",
             .mistake = "gemm1_alpha, gemm1_beta and gemm1_clamp_limit are written whenever the "
                        "switch is TRT-LLM, whoever owns the runner",
             .expected_lane = "lifecycle",
             .pattern = "moe.method/ownership=borrower_*"},
    .method = edit,
};

}  // namespace plumbline::device
