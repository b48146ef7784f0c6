#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

bool never(int) { return false; }

void edit(identity::Table& table) {
  for (identity::Predicate& row : table.predicates) {
    if (row.name != "is_lightop") continue;
    row.type = "deepep_v2_scale_format";
    row.holds = never;
  }
}

}  // namespace

const Fault kPredicateOnTheWrongType = {
    .info = {.name = "predicate_on_the_wrong_type",
             .fault_class = "F16",
             .mistake = "is_lightop stands on the scale format of DeepEP v2, where it is false of "
                        "every value, and not on the runner backends: lightop is never chosen, "
                        "triton runs in its place",
             .expected_lane = "contract",
             .pattern = "moe.experts/backend=lightop"},
    .identities = edit,
};

}  // namespace plumbline::device
