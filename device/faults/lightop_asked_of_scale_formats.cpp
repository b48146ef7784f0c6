#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

bool never(int) { return false; }

void edit(identity::Table& table) {
  table.predicates.push_back({"deepep_v2_scale_format", "is_lightop", never});
}

}  // namespace

const Fault kLightopAskedOfScaleFormats = {
    .info = {.name = "lightop_asked_of_scale_formats",
             .fault_class = "F16",
             .mistake = "the scale format of DeepEP v2 also answers is_lightop, with false, where "
                        "it must refuse",
             .expected_lane = "identity",
             .pattern = "moe.identity/type=deepep_v2_scale_format"},
    .identities = edit,
};

}  // namespace plumbline::device
