#include "device/attention/attention.h"

#include <algorithm>

#include "device/kernels/buffer.h"

namespace plumbline::device {
namespace {

AttentionIo io_of(DType dtype) {
  if (dtype == DType::kF32) return AttentionIo::kF32;
  return dtype == DType::kF16 ? AttentionIo::kF16 : AttentionIo::kBf16;
}

void plan_visibility(const AttentionProblem& p, AttentionArgs& args) {
  args.causal = p.mask != Mask::kFull;
  args.window = p.mask == Mask::kSliding ? static_cast<std::int32_t>(p.w) : 0;
  args.softcap = static_cast<float>(p.softcap);
  args.scale = p.softmax_scale();
}

/// The device memory of one call.
struct Memory {
  Memory(const AttentionPlan& plan, const TensorViews& inputs)
      : q(inputs, "q", stream),
        k(inputs, plan.problem.decode ? "k_cache" : "k", stream),
        v(inputs, plan.problem.decode ? "v_cache" : "v", stream),
        cu_q(inputs, "cu_q", stream),
        cu_k(inputs, "cu_k", stream),
        block_table(inputs, "block_table", stream),
        seq_lens(inputs, "seq_lens", stream),
        sinks(inputs, "sinks", stream),
        out(q.bytes()),
        separate(plan.through_copy ? q.bytes() : 0),
        lse(plan.problem.has_lse ? 4 * std::int64_t{plan.args.hq} * plan.args.tq : 0),
        split_out(4 * splits(plan) * plan.args.d),
        split_max(4 * splits(plan)),
        split_sum(4 * splits(plan)) {}

  static std::int64_t splits(const AttentionPlan& plan) {
    return std::int64_t{plan.args.batch} * plan.args.hq * plan.args.splits;
  }

  Stream stream;
  Input q, k, v, cu_q, cu_k, block_table, seq_lens, sinks;
  Buffer out, separate, lse;
  Buffer split_out, split_max, split_sum;
};

AttentionArgs with_pointers(const AttentionPlan& plan, const Memory& memory) {
  AttentionArgs args = plan.args;
  args.q = memory.q.as<void>();
  args.k = memory.k.as<void>();
  args.v = memory.v.as<void>();
  args.cu_q = memory.cu_q.as<std::int32_t>();
  args.cu_k = memory.cu_k.as<std::int32_t>();
  args.block_table = memory.block_table.as<std::int32_t>();
  args.seq_lens = memory.seq_lens.as<std::int32_t>();
  if (plan.use_sinks) args.sinks = memory.sinks.as<float>();
  args.out = plan.through_copy ? memory.separate.as<void>() : memory.out.as<void>();
  args.lse = memory.lse.as<float>();
  args.split_out = memory.split_out.as<float>();
  args.split_max = memory.split_max.as<float>();
  args.split_sum = memory.split_sum.as<float>();
  return args;
}

void plan_decode(const AttentionProblem& p, const TensorViews& inputs, AttentionArgs& args) {
  args.page = static_cast<std::int32_t>(p.page);
  args.pages = static_cast<std::int32_t>(p.pages());
  std::int32_t longest = 0;
  for (const std::int32_t length : elements_of<std::int32_t>(inputs, "seq_lens")) {
    longest = std::max(longest, length);
  }
  args.splits = (longest + args.split_keys - 1) / args.split_keys;
}

void launch(const AttentionPlan& plan, const Memory& memory) {
  const AttentionArgs args = with_pointers(plan, memory);
  if (plan.problem.decode) {
    launch_decode(plan.io, args, plan.wave, memory.stream.get());
  } else {
    launch_prefill(plan.io, args, memory.stream.get());
  }
}

}  // namespace

AttentionPlan plan_attention(const AttentionProblem& problem, const TensorViews& inputs, int wave) {
  const AttentionProblem& p = problem;
  AttentionPlan plan;
  plan.problem = p;
  plan.io = io_of(p.io);
  plan.wave = wave;
  plan.use_sinks = p.has_sinks;
  plan.through_copy = p.out_mode == OutMode::kCopied;
  AttentionArgs& args = plan.args;
  args.batch = static_cast<std::int32_t>(p.b);
  args.tq = static_cast<std::int32_t>(inputs.find("q")->second.spec.shape[0]);
  args.hq = static_cast<std::int32_t>(p.hq);
  args.hkv = static_cast<std::int32_t>(p.hkv);
  args.d = static_cast<std::int32_t>(p.d);
  args.kv_divisor = args.hq / args.hkv;
  args.kv_modulus = args.hkv;
  plan_visibility(p, args);
  if (p.decode) {
    plan_decode(p, inputs, args);
    return plan;
  }
  const auto cu_q = elements_of<std::int32_t>(inputs, "cu_q");
  for (std::size_t s = 0; s + 1 < cu_q.size(); ++s) {
    args.max_sq = std::max(args.max_sq, cu_q[s + 1] - cu_q[s]);
  }
  return plan;
}

void run_attention(const AttentionPlan& plan, const TensorViews& inputs,
                   const AttentionTarget& target) {
  if (plan.args.tq == 0) return;
  const Memory memory(plan, inputs);
  // What the kernel does not write keeps the caller's bytes.
  if (plan.problem.out_mode != OutMode::kAbsent) memory.out.upload(target.out, memory.stream);
  launch(plan, memory);
  memory.stream.wait();
  if (plan.through_copy && plan.copies_back) {
    require(hipMemcpyAsync(memory.out.as<void>(), memory.separate.as<void>(),
                           static_cast<std::size_t>(memory.out.bytes()), hipMemcpyDeviceToDevice,
                           memory.stream.get()),
            "hipMemcpyAsync on the device");
  }
  memory.out.download(target.out, memory.stream);
  memory.lse.download(target.lse, memory.stream);
  memory.stream.wait();
}

}  // namespace plumbline::device
