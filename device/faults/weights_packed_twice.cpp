#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(MethodRules& rules) { rules.packs_once = false; }

}  // namespace

const Fault kWeightsPackedTwice = {
    .info =
        {.name = "weights_packed_twice",
         .fault_class = "F17",
         .mistake =
             "a second process_weights takes packed weights for plain ones and packs them again",
         .expected_lane = "lifecycle",
         .pattern = "moe.method"},
    .method = edit,
};

}  // namespace plumbline::device
