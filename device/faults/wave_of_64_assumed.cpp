#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(ExpertsPlan& plan) { plan.quantise_threads = 64; }

void edit_lightop(LightopPlan& plan) {
  plan.quantise_x.threads = 64;
  plan.quantise_activated.threads = 64;
}

}  // namespace

const Fault kWaveOf64Assumed = {
    .info = {.name = "wave_of_64_assumed",
             .fault_class = "F14",
             .mistake = "the quantiser of a token is launched with 64 threads and takes them for "
                        "one wave: where a wave has 32 lanes, each half has its own largest value "
                        "and the first half's scale is stored",
             .expected_lane = "W",
             .pattern = "moe.experts/quant=w8a8_*",
             .wave = 32},
    .experts = edit,
    .lightop = edit_lightop,
};

}  // namespace plumbline::device
