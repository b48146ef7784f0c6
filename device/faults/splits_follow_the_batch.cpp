#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

void edit(AttentionPlan& plan) {
  const std::int32_t longest = plan.args.splits * plan.args.split_keys;
  plan.args.split_keys /= plan.args.batch < 4 ? plan.args.batch : 4;
  plan.args.splits = (longest + plan.args.split_keys - 1) / plan.args.split_keys;
}

}  // namespace

const Fault kSplitsFollowTheBatch = {
    .info = {.name = "splits_follow_the_batch",
             .fault_class = "F18",
             .mistake =
                 "the more sequences, the shorter the splits of decode: bits depend on the batch",
             .expected_lane = "relation:sequence_alone",
             .pattern = "attention.decode"},
    .experts = nullptr,
    .attention = edit,
    .route = nullptr,
};

}  // namespace plumbline::device
