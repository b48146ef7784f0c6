#include "device/hip/host/worker.h"

#include <sys/mman.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>

#include "device/hip/host/sanitizer.h"

namespace hipx {
namespace {

namespace context = boost::context::detail;

#if defined(PLUMBLINE_HIPX_ASM_SWITCH)
constexpr std::size_t kStackBytes = std::size_t{64} * 1024;
[[gnu::used, noreturn]] void fiber_entry() { fiber_loop(*current_worker); }
#else
constexpr std::size_t kStackBytes = std::size_t{256} * 1024;  // sanitizers need more

void arrived_from([[maybe_unused]] Worker& worker, context::transfer_t transfer) {
  auto* from = static_cast<Fiber*>(transfer.data);
  from->context = transfer.fctx;
#if defined(PLUMBLINE_HIPX_ASAN)
  const void* bottom = nullptr;
  std::size_t size = 0;
  __sanitizer_finish_switch_fiber(worker.current->fake_stack, &bottom, &size);
  if (!from->stack) {
    from->stack = const_cast<char*>(static_cast<const char*>(bottom));
    from->stack_bytes = size;
  }
#endif
}
void fiber_entry(context::transfer_t transfer) {
  Worker& worker = *current_worker;
  arrived_from(worker, transfer);
  fiber_loop(worker);
}
#endif

void make_context(Fiber& fiber) {
#if defined(PLUMBLINE_HIPX_ASM_SWITCH)
  auto* top = reinterpret_cast<void**>(fiber.stack + fiber.stack_bytes);
  *--top = nullptr;
  *--top = reinterpret_cast<void*>(&fiber_entry);
  fiber.stack_pointer = top;  // popped, then rsp = 16 n + 8 as after a call
#else
  fiber.context =
      context::make_fcontext(fiber.stack + fiber.stack_bytes, fiber.stack_bytes, fiber_entry);
#endif
}

char* map_or_throw(std::size_t bytes) {
  void* map = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED) throw std::bad_alloc();
  return static_cast<char*>(map);
}

std::atomic<std::uint64_t> worker_number{1};

}  // namespace

Worker::Worker() : os_thread(pthread_self()) {
  stack_stride = kStackBytes + kPageBytes;
  stacks = map_or_throw(stack_stride * (kMaxThreads + 1));
  shared_arena = map_or_throw(kMaxSharedBytes + 2 * kPageBytes) + kPageBytes;
  mprotect(shared_arena - kPageBytes, kPageBytes, PROT_NONE);
  mprotect(shared_arena + kMaxSharedBytes, kPageBytes, PROT_NONE);
  static_shared = map_or_throw(kStaticSharedBytes);
  serial = worker_number++ << 40;
  install_signal_handlers();
  signal_stack = install_signal_stack();
  watch(*this);
}

Worker::~Worker() {
  unwatch(*this);
  remove_signal_stack(signal_stack);
  munmap(stacks, stack_stride * (kMaxThreads + 1));
  munmap(shared_arena - kPageBytes, kMaxSharedBytes + 2 * kPageBytes);
  munmap(static_shared, kStaticSharedBytes);
}

Worker& worker_of_this_thread() {
  static thread_local std::unique_ptr<Worker> the_worker;
  if (!the_worker) the_worker = std::make_unique<Worker>();
  return *the_worker;
}

#if !defined(PLUMBLINE_HIPX_ASM_SWITCH)
void jump(Fiber* from, Fiber* to) {
#if defined(PLUMBLINE_HIPX_ASAN)
  __sanitizer_start_switch_fiber(&from->fake_stack, to->stack, to->stack_bytes);
#endif
#if defined(PLUMBLINE_HIPX_TSAN)
  constexpr unsigned kNoSynchronisation = 1;
  __tsan_switch_to_fiber(to->tsan, kNoSynchronisation);
#endif
  const context::transfer_t transfer = context::jump_fcontext(to->context, from);
  arrived_from(*current_worker, transfer);
}
void do_switch(void** save, void* next) {
  jump(reinterpret_cast<Fiber*>(save), static_cast<Fiber*>(next));
}
#endif

Fiber* new_fiber(Worker& worker) {
  const unsigned n = worker.fiber_count++;
  char* base = worker.stacks + worker.stack_stride * n;
  mprotect(base, kPageBytes, PROT_NONE);
  // Tops on different cache sets: otherwise all hot lines of all stacks share one.
  const std::size_t colour = (std::size_t{n} * 192) % 3072;
  Fiber& fiber = worker.fibers[n];
  fiber.stack = base + kPageBytes;
  fiber.stack_bytes = (worker.stack_stride - kPageBytes - colour) & ~std::size_t{63};
  make_context(fiber);
#if defined(PLUMBLINE_HIPX_TSAN)
  fiber.tsan = __tsan_create_fiber(0);
#endif
  return &fiber;
}

#if defined(PLUMBLINE_HIPX_TSAN)
// What the abandoned threads did happened before whatever follows.
void end_tsan_fibers(Worker& worker) {
  constexpr unsigned kNoSynchronisation = 1;
  for (unsigned i = 0; i < worker.fiber_count; ++i) {
    __tsan_switch_to_fiber(worker.fibers[i].tsan, kNoSynchronisation);
    __tsan_release(&worker.end_sync);
  }
  __tsan_switch_to_fiber(worker.main.tsan, kNoSynchronisation);
  __tsan_acquire(&worker.end_sync);
  for (unsigned i = 0; i < worker.fiber_count; ++i) {
    __tsan_destroy_fiber(worker.fibers[i].tsan);  // with the abandoned call stack
    worker.fibers[i].tsan = __tsan_create_fiber(0);
  }
}
#endif

void rebuild_fibers(Worker& worker) {
#if defined(PLUMBLINE_HIPX_TSAN)
  end_tsan_fibers(worker);
#endif
  worker.free_count = 0;
  for (unsigned i = 0; i < worker.fiber_count; ++i) {
    Fiber& fiber = worker.fibers[i];
#if defined(PLUMBLINE_HIPX_ASAN)
    __asan_unpoison_memory_region(fiber.stack, fiber.stack_bytes);
    fiber.fake_stack = nullptr;
#endif
    make_context(fiber);
    worker.free_fibers[worker.free_count++] = &fiber;
  }
}

void write_report(Worker& worker, const char* format, ...) {
  va_list args;
  va_start(args, format);
  const int length = std::vsnprintf(worker.report, sizeof worker.report, format, args);
  va_end(args);
  const std::size_t used = std::min<std::size_t>(std::max(length, 0), sizeof worker.report - 1);
  const LaunchShape& shape = worker.launch->desc->shape;
  std::snprintf(worker.report + used, sizeof worker.report - used,
                "\n  in kernel %s, block (%u,%u,%u) of grid (%u,%u,%u), thread (%u,%u,%u) of block "
                "(%u,%u,%u), warpSize %u",
                shape.name, blockIdx.x, blockIdx.y, blockIdx.z, shape.grid.x, shape.grid.y,
                shape.grid.z, threadIdx.x, threadIdx.y, threadIdx.z, shape.block.x, shape.block.y,
                shape.block.z, worker.wave);
}

[[gnu::noinline]] void abort_block(Worker& worker, hipError_t error) {
  worker.failed = true;
  worker.error = error;
  worker.inside = false;
  switch_fiber(worker, &worker.main);
  std::abort();
}

}  // namespace hipx
