#include <algorithm>

#include "device/faults/planted.h"

namespace plumbline::device {
namespace {

/// Plain rows of `name`, one after the other, in the bytes of the packed weight.
void pack_plainly(const TensorViews& weights, const char* name, Tensor& packed) {
  const TensorView& plain = weights.find(name)->second;
  const std::int64_t experts = plain.spec.shape[0];
  const std::int64_t from = plain.spec.bytes() / experts;
  const std::int64_t to = std::ssize(packed.data) / experts;
  std::ranges::fill(packed.data, std::byte{0});
  for (std::int64_t expert = 0; expert < experts; ++expert) {
    std::copy_n(plain.data + expert * from, from, packed.data.data() + expert * to);
  }
}

void edit(const ExpertsProblem&, const TensorViews& weights, QuantRecord& record) {
  if (record.tag != "lightop") return;
  for (const char* name : {"w13", "w2"}) pack_plainly(weights, name, record.tensors[name]);
}

}  // namespace

const Fault kPackerOfAnotherBackend = {
    .info = {.name = "packer_of_another_backend",
             .fault_class = "F07",
             .mistake =
                 "the weights that lightop gets are packed by triton's packer: plain rows, padded",
             .expected_lane = "W",
             .pattern = "moe.experts/backend=lightop"},
    .packed = edit,
};

}  // namespace plumbline::device
