// Who runs next in a block: masks of lanes a wave, one count of trailing zeros a choice.
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "device/hip/host/sanitizer.h"
#include "device/hip/host/worker.h"

namespace hipx {
namespace {

constexpr int kNobody = -1;
constexpr int kBlockFinished = -2;

std::uint64_t next_random(Worker& worker) {
  worker.random ^= worker.random << 13;
  worker.random ^= worker.random >> 7;
  worker.random ^= worker.random << 17;
  return worker.random;
}
template <class Mask>
unsigned random_bit(Worker& worker, Mask mask) {
  for (auto skip = next_random(worker) % static_cast<unsigned>(std::popcount(mask)); skip; --skip)
    mask &= mask - 1;
  return static_cast<unsigned>(std::countr_zero(mask));
}

int pick_out_of_order(Worker& worker) {
  const bool reverse = worker.order == Order::kReverse;
  const unsigned warp = reverse ? 31 - std::countl_zero(worker.runnable_warps)
                                : random_bit(worker, worker.runnable_warps);
  worker.current_warp = warp;
  const std::uint64_t lanes = worker.warp[warp].runnable;
  const unsigned lane = reverse ? 63 - std::countl_zero(lanes) : random_bit(worker, lanes);
  return static_cast<int>(warp << worker.wave_shift | lane);
}

// Forward: lowest lane, the current wave first.
inline int pick(Worker& worker) {
  if (!worker.runnable_warps) return kNobody;
  if (worker.order != Order::kForward) [[unlikely]]
    return pick_out_of_order(worker);
  unsigned warp = worker.current_warp;
  if (!(worker.runnable_warps >> warp & 1)) {
    const std::uint32_t later = worker.runnable_warps & (~0u << warp);
    warp = static_cast<unsigned>(std::countr_zero(later ? later : worker.runnable_warps));
    worker.current_warp = warp;
  }
  const auto lane = static_cast<unsigned>(std::countr_zero(worker.warp[warp].runnable));
  return static_cast<int>(warp << worker.wave_shift | lane);
}

inline void take(Worker& worker, unsigned thread) {
  const unsigned w = thread >> worker.wave_shift;
  Warp& warp = worker.warp[w];
  warp.runnable &= ~(std::uint64_t{1} << (thread & (worker.wave - 1)));
  if (!warp.runnable) worker.runnable_warps &= ~(1u << w);
}

void release_barrier(Worker& worker) {
  for (unsigned i = 0; i < worker.warps; ++i) {
    Warp& warp = worker.warp[i];
    warp.runnable |= warp.at_barrier;
    if (warp.at_barrier) worker.runnable_warps |= 1u << i;
    warp.at_barrier = 0;
  }
  worker.arrived = 0;
}

bool same_place(const Location& a, const Location& b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}
unsigned long long printable(std::uint64_t mask) { return mask; }

[[noreturn]] void report_partial_warp(Worker& worker, unsigned w) {
  const Warp& warp = worker.warp[w];
  write_report(worker,
               "divergent warp operation: warp %u lanes 0x%llx wait in the warp operation at "
               "%s:%d, lanes 0x%llx at a block barrier, lanes 0x%llx have returned",
               w, printable(warp.in_operation), warp.location.file, warp.location.line,
               printable(warp.at_barrier), printable(warp.done));
  abort_block(worker, hipErrorLaunchFailure);
}

[[noreturn]] void report_missed_barrier(Worker& worker) {
  unsigned gone = 0;
  while (!worker.warp[gone].done) ++gone;
  const auto lane = static_cast<unsigned>(std::countr_zero(worker.warp[gone].done));
  const uint3 left = thread_index(worker, gone * worker.wave + lane);
  const uint3 first = thread_index(worker, worker.barrier_first);
  threadIdx = left;
  write_report(worker,
               "barrier divergence: %u of %u threads wait in __syncthreads at %s:%d (first: thread "
               "(%u,%u,%u)), but %u returned without it (first: thread (%u,%u,%u))",
               worker.arrived, worker.threads, worker.barrier_location.file,
               worker.barrier_location.line, first.x, first.y, first.z, worker.finished, left.x,
               left.y, left.z);
  abort_block(worker, hipErrorLaunchFailure);
}

// Nobody can run: the block has finished, or its threads wait for each other in vain. Where that
// is allowed (not strict), those that wait go on without the rest.
int stall(Worker& worker) {
  if (worker.finished == worker.threads) return kBlockFinished;
  for (unsigned i = 0; i < worker.warps; ++i) {
    Warp& warp = worker.warp[i];
    if (!warp.in_operation) continue;
    if (worker.strict) report_partial_warp(worker, i);
    warp.runnable |= warp.in_operation;
    warp.in_operation = 0;
    worker.runnable_warps |= 1u << i;
    return pick(worker);
  }
  if (worker.strict) report_missed_barrier(worker);
  release_barrier(worker);
  return pick(worker);
}

// Continues on a fiber while the current one waits.
inline Switch continue_on(Worker& worker, Fiber* next) {
  Fiber* me = worker.current;
  worker.current = next;
  threadIdx = next->index;
#if defined(PLUMBLINE_HIPX_ASM_SWITCH)
  return {&me->stack_pointer, next->stack_pointer};
#else
  return {reinterpret_cast<void**>(me), next};
#endif
}

// Chooses who runs while the current fiber waits; nobody to switch to if it is itself.
[[gnu::noinline]] Switch wait_here(Worker& worker) {
  int thread = pick(worker);
  if (thread < 0) [[unlikely]]
    thread = stall(worker);
  take(worker, static_cast<unsigned>(thread));
  Fiber* next = worker.by_thread[thread];
  if (next == worker.current) return {nullptr, nullptr};
  if (!next) {
    next = grab_fiber(worker);
    assign(worker, next, static_cast<unsigned>(thread));
  }
  return continue_on(worker, next);
}

// As wait_here; forward order within one wave, the usual case, takes no call.
inline Switch wait_in_warp(Worker& worker) {
  const Fiber* me = worker.current;
  Warp& warp = *me->warp;
  const std::uint64_t lanes = warp.runnable;
  const std::uint64_t rest = lanes & (lanes - 1);
  if (rest == 0 || worker.order != Order::kForward) return wait_here(worker);
  Fiber* next = me->warp_fibers[std::countr_zero(lanes)];
  if (!next) return wait_here(worker);
  warp.runnable = rest;
  return continue_on(worker, next);
}

Worker& worker_in_kernel(const char* what, const Location& location) {
  Worker* worker = current_worker;
  if (!worker) {
    std::fprintf(stderr, "hipx: %s outside a kernel at %s:%d\n", what, location.file,
                 location.line);
    std::abort();
  }
  if (worker->launch->desc->shape.no_sync && worker->order == Order::kForward) [[unlikely]] {
    write_report(*worker, "launched as no-sync, but calls %s at %s:%d", what, location.file,
                 location.line);
    abort_block(*worker, hipErrorLaunchFailure);
  }
  return *worker;
}

[[gnu::noinline]] void report_two_operations(Worker& worker, const WarpCall& call) {
  if (!worker.strict) return;
  const Warp& warp = *worker.current->warp;
  write_report(worker,
               "divergent warp operation: this lane is at %s:%d while lanes 0x%llx of warp %u are "
               "at %s:%d",
               call.location.file, call.location.line, printable(warp.in_operation),
               worker.current->thread >> worker.wave_shift, warp.location.file, warp.location.line);
  abort_block(worker, hipErrorLaunchFailure);
}

// The first thread at a barrier, or one at another place than the first.
void check_barrier(Worker& worker, const Location& location) {
  if (worker.arrived == 0) {
    worker.barrier_location = location;
    worker.barrier_first = worker.current->thread;
    return;
  }
  if (same_place(location, worker.barrier_location) || !worker.strict) return;
  const uint3 first = thread_index(worker, worker.barrier_first);
  write_report(worker,
               "barrier divergence: this thread is at __syncthreads %s:%d while thread (%u,%u,%u) "
               "is at %s:%d",
               location.file, location.line, first.x, first.y, first.z,
               worker.barrier_location.file, worker.barrier_location.line);
  abort_block(worker, hipErrorLaunchFailure);
}

[[gnu::noinline]] Switch all_arrived(Worker& worker) {
  release_barrier(worker);
  if (worker.order != Order::kForward) return wait_here(worker);
  take(worker, worker.current->thread);  // the last one goes on: no switch
  return {nullptr, nullptr};
}

inline Switch arrive(Worker& worker) {
#if defined(PLUMBLINE_HIPX_TSAN)
  __tsan_release(&worker.barrier_sync);
#endif
  const Fiber* me = worker.current;
  me->warp->at_barrier |= me->bit;
  if (++worker.arrived == worker.threads) [[unlikely]]
    return all_arrived(worker);
  return wait_in_warp(worker);
}

// Out of line, so that the usual arrival saves no register.
[[gnu::noinline]] Switch arrive_with_check(Location location) {
  Worker& worker = worker_in_kernel("__syncthreads", location);
  check_barrier(worker, location);
  return arrive(worker);
}

void run_thread(Worker& worker) {
  const LaunchDesc& desc = *worker.launch->desc;
  worker.inside.store(true, std::memory_order_relaxed);
#if defined(PLUMBLINE_HIPX_TSAN)
  __tsan_acquire(&worker.launch_sync);
#endif
  if (desc.shape.no_sync && worker.order == Order::kForward) {
    desc.run_no_sync(desc.args, desc.shape.block);
    worker.finished = worker.threads;
    worker.runnable_warps = 0;
  } else {
    desc.invoke(desc.args);
    const unsigned thread = worker.current->thread;
    worker.warp[thread >> worker.wave_shift].done |= std::uint64_t{1}
                                                     << (thread & (worker.wave - 1));
    ++worker.finished;
  }
#if defined(PLUMBLINE_HIPX_TSAN)
  __tsan_release(&worker.end_sync);
#endif
}

// Continues with a thread that has not started, or that waits on a stack of its own.
void go_on(Worker& worker, Fiber* fiber, unsigned thread) {
  take(worker, thread);
  Fiber* next = worker.by_thread[thread];
#if defined(PLUMBLINE_HIPX_TSAN)
  // One TSan fiber a GPU thread: never two threads on one stack.
  worker.by_thread[fiber->thread] = nullptr;
  if (!next) {
    next = grab_fiber(worker);
    assign(worker, next, thread);
  }
#else
  if (!next) {
    assign(worker, fiber, thread);
    threadIdx = fiber->index;
    return;
  }
  worker.free_fibers[worker.free_count++] = fiber;
#endif
  switch_fiber(worker, next);
}

}  // namespace

void fiber_loop(Worker& worker) {
  for (;;) {
    Fiber* fiber = worker.current;
    threadIdx = fiber->index;
    run_thread(worker);
    int thread = pick(worker);
    if (thread < 0) thread = stall(worker);
    if (thread != kBlockFinished) {
      go_on(worker, fiber, static_cast<unsigned>(thread));
      continue;
    }
    worker.free_fibers[worker.free_count++] = fiber;
    worker.inside.store(false, std::memory_order_relaxed);
    switch_fiber(worker, &worker.main);
  }
}

int first_thread(Worker& worker) {
  const int thread = pick(worker);
  take(worker, static_cast<unsigned>(thread));
  return thread;
}

Switch barrier_arrive(Location location) {
  Worker* worker = current_worker;
  if (!worker || worker->arrived == 0 || location.line != worker->barrier_location.line ||
      location.file != worker->barrier_location.file) [[unlikely]]
    return arrive_with_check(location);
  return arrive(*worker);
}

Switch warp_arrive(WarpCall& call) {
  Worker& worker = worker_in_kernel("a warp operation", call.location);
  Fiber* me = worker.current;
  Warp& warp = *me->warp;
  if (!warp.in_operation) {
    warp.location = call.location;
    warp.operation = call.operation;
  } else if (!same_place(warp.location, call.location) || warp.operation != call.operation) {
    report_two_operations(worker, call);
  }
#if defined(PLUMBLINE_HIPX_TSAN)
  if (call.fence) __tsan_release(&worker.warp_sync[me->thread >> worker.wave_shift]);
#endif
  call.slots = warp.slots[warp.generation & 1];
  call.slots[me->thread & (worker.wave - 1)] = call.value;
  warp.in_operation |= me->bit;
  call.mask = warp.exist & ~warp.done;
  if (warp.in_operation != call.mask) return wait_in_warp(worker);
  if (call.fold) call.fold(call.slots, call.mask);
  ++warp.generation;
  warp.runnable |= warp.in_operation;
  warp.in_operation = 0;
  worker.runnable_warps |= 1u << (me->thread >> worker.wave_shift);
  if (worker.order != Order::kForward) return wait_here(worker);
  take(worker, me->thread);
  return {nullptr, nullptr};
}

unsigned lane() {
  const Worker& worker = *current_worker;
  return worker.current->thread & (worker.wave - 1);
}

SharedSlot::SharedSlot(std::size_t bytes) {
  static std::atomic<std::size_t> taken{0};
  constexpr std::size_t kLine = 64;
  const std::size_t whole = kLine + (bytes + kLine - 1) / kLine * kLine;
  offset_ = taken.fetch_add(whole);
  if (offset_ + whole <= kStaticSharedBytes) return;
  std::fprintf(stderr, "hipx: the kernels' shared arrays take more than %zu bytes\n",
               kStaticSharedBytes);
  std::abort();
}

void* dynamic_shared() { return current_worker->dynamic_shared; }

void poison_shared(void* data, std::size_t bytes) {
  if (!current_worker || !current_worker->launch->settings.poison) return;
#if defined(PLUMBLINE_HIPX_TSAN)
  // A volatile loop: TSan would see memset, and blame the first thread for everybody's bytes.
  auto* byte = static_cast<volatile unsigned char*>(data);
  for (std::size_t i = 0; i < bytes; ++i) byte[i] = 0xFF;
#else
  std::memset(data, 0xFF, bytes);
#endif
}

#if defined(PLUMBLINE_HIPX_TSAN)
void enter_shared(std::uint64_t* seen, void* data, std::size_t bytes) {
  if (*seen == block_serial) return;
  *seen = block_serial;
  poison_shared(data, bytes);
}
std::uint64_t slot_get(const std::uint64_t* slots, int lane) { return slots[lane]; }
void barrier_leave() { __tsan_acquire(&current_worker->barrier_sync); }
void warp_leave(bool fence) {
  Worker& worker = *current_worker;
  if (fence) __tsan_acquire(&worker.warp_sync[worker.current->thread >> worker.wave_shift]);
}
#endif

}  // namespace hipx
