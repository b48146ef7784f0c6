#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(ExpertsPlan& plan) { plan.overwrite_x = true; }

}  // namespace

const Fault kInputOverwritten = {
    .info = {.name = "input_overwritten",
             .fault_class = "F17",
             .mistake = "the result also replaces x",
             .expected_lane = "guard",
             .pattern = "moe.experts/backend=triton"},
    .experts = edit,
    .attention = nullptr,
    .route = nullptr,
};

}  // namespace plumbline::device
