#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(AttentionPlan& plan) { plan.use_sinks = false; }

}  // namespace

const Fault kSinkIgnored = {
    .info = {.name = "sink_ignored",
             .fault_class = "F10",
             .mistake = "the sinks are not passed to the kernel",
             .expected_lane = "W",
             .pattern = "attention.*/sinks=yes"},
    .experts = nullptr,
    .attention = edit,
    .route = nullptr,
};

}  // namespace plumbline::device
