#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(AttentionPlan& plan) { plan.args.softcap = 0.0F; }

}  // namespace

const Fault kSoftcapIgnored = {
    .info = {.name = "softcap_ignored",
             .fault_class = "F10",
             .mistake = "the softcap is not passed to the kernel",
             .expected_lane = "W",
             .pattern = "attention.*"},
    .experts = nullptr,
    .attention = edit,
    .route = nullptr,
};

}  // namespace plumbline::device
