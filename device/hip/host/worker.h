#pragma once
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <boost/context/detail/fcontext.hpp>
#include <cstdint>
#include <mutex>
#include <string>

#include "device/hip/host/areas.h"
#include "device/hip/host/include/hip/hip_runtime.h"
#include "device/hip/host/runtime.h"

namespace hipx {

constexpr unsigned kMaxThreads = 1024;
constexpr unsigned kMaxWarps = 32;
constexpr std::size_t kMaxSharedBytes = std::size_t{64} * 1024;
/// Address space for the static shared arrays of all kernels of a program.
constexpr std::size_t kStaticSharedBytes = std::size_t{64} * 1024 * 1024;
using areas::kPageBytes;
/// Whether a kernel that faulted or spins can be given up while the process lives on.
#if defined(PLUMBLINE_HIPX_ASM_SWITCH)
constexpr bool kRecovers = true;
#else
constexpr bool kRecovers = false;
#endif

struct Warp;

/// A stack, and the GPU thread that runs on it at the moment.
struct Fiber {
  void* stack_pointer = nullptr;                         // assembler switch
  boost::context::detail::fcontext_t context = nullptr;  // Boost switch
  unsigned thread = 0;                                   // linear index in the block
  uint3 index{};
  Warp* warp = nullptr;           // its wave,
  std::uint64_t bit = 0;          // its lane there,
  Fiber** warp_fibers = nullptr;  // and the fibers of that wave's lanes
  char* stack = nullptr;
  std::size_t stack_bytes = 0;
  void* fake_stack = nullptr;  // ASan
  void* tsan = nullptr;
};

/// Who of a wave does what, as lane masks, and the slots of its wave operation: two sets in turn,
/// so that a fast lane does not overwrite what a slow one still reads.
struct alignas(64) Warp {
  std::uint64_t runnable, at_barrier, in_operation, done, exist;
  unsigned generation;
  Location location;
  int operation;
  std::uint64_t slots[2][64];
};

/// What the blocks of one launch share.
struct Launch {
  const LaunchDesc* desc = nullptr;
  Settings settings;
  unsigned wave = 64;
  std::atomic<int> error{hipSuccess};
  std::mutex mutex;
  std::string report;  // of the first block that failed
};

/// One OS thread that runs blocks, one at a time, and the state of the running block.
struct Worker {
  Launch* launch = nullptr;
  unsigned threads = 0, warps = 0, wave = 64, wave_shift = 6;
  unsigned arrived = 0, finished = 0, current_warp = 0;
  std::uint32_t runnable_warps = 0;
  Location barrier_location{};
  unsigned barrier_first = 0;
  Order order = Order::kForward;
  bool strict = true;
  bool failed = false;
  std::uint64_t random = 1;
  Fiber* current = nullptr;
  Fiber main;
  Fiber* by_thread[kMaxThreads];
  Fiber* free_fibers[kMaxThreads + 1];
  unsigned free_count = 0;
  Fiber fibers[kMaxThreads + 1];
  unsigned fiber_count = 0;
  Warp warp[kMaxWarps];

  char* stacks = nullptr;
  std::size_t stack_stride = 0;
  char* shared_arena = nullptr;  // an unmapped page on both sides
  void* dynamic_shared = nullptr;
  char* static_shared = nullptr;  // SharedSlot
  void* signal_stack = nullptr;

  char report[2048];
  hipError_t error = hipSuccess;
  pthread_t os_thread{};
  std::atomic<bool> inside{false};        // a kernel is running, not the runtime's main stack
  std::atomic<std::uint64_t> serial{0};   // of the block, never repeated
  std::atomic<std::uint64_t> overdue{0};  // serial of the block that the watchdog gave up
  std::atomic<double> limit_seconds{0};

  // TSan's synchronisation addresses.
  char barrier_sync = 0, launch_sync = 0, end_sync = 0;
  char warp_sync[kMaxWarps];

  Worker();
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
};

/// The worker of this OS thread while it runs blocks, else null.
PLUMBLINE_HIPX_NEAR constinit inline thread_local Worker* current_worker = nullptr;
/// The worker of this OS thread, made at its first use.
Worker& worker_of_this_thread();

/// A fiber that is ready to start the next GPU thread.
Fiber* new_fiber(Worker& worker);
inline Fiber* grab_fiber(Worker& worker) {
  return worker.free_count ? worker.free_fibers[--worker.free_count] : new_fiber(worker);
}
/// Puts every fiber back to its start, whatever it was doing.
void rebuild_fibers(Worker& worker);
/// Chooses and takes the thread that starts a block.
int first_thread(Worker& worker);
/// Calls thread after thread of the block; what every fiber runs.
[[noreturn]] void fiber_loop(Worker& worker);

inline uint3 thread_index(const Worker& worker, unsigned thread) {
  const dim3& block = worker.launch->desc->shape.block;
  if (block.y == 1 && block.z == 1) return {thread, 0, 0};
  const unsigned row = thread / block.x;
  return {thread - row * block.x, row % block.y, row / block.y};
}
inline void assign(Worker& worker, Fiber* fiber, unsigned thread) {
  const unsigned warp = thread >> worker.wave_shift;
  fiber->thread = thread;
  fiber->index = thread_index(worker, thread);
  fiber->warp = &worker.warp[warp];
  fiber->bit = std::uint64_t{1} << (thread & (worker.wave - 1));
  fiber->warp_fibers = &worker.by_thread[warp << worker.wave_shift];
  worker.by_thread[thread] = fiber;
}

#if defined(PLUMBLINE_HIPX_ASM_SWITCH)
[[gnu::always_inline]] inline void switch_fiber(Worker& worker, Fiber* to) {
  Fiber* from = worker.current;
  worker.current = to;
  threadIdx = to->index;
  do_switch(&from->stack_pointer, to->stack_pointer);
}
#else
/// The Boost switch itself; the worker already describes `to`.
void jump(Fiber* from, Fiber* to);
inline void switch_fiber(Worker& worker, Fiber* to) {
  Fiber* from = worker.current;
  worker.current = to;
  threadIdx = to->index;
  jump(from, to);
}
#endif

/// Writes what happened, in which kernel, block and thread to worker.report.
[[gnu::format(printf, 2, 3)]] void write_report(Worker& worker, const char* format, ...);
/// Gives the block up from inside a kernel.
[[noreturn]] void abort_block(Worker& worker, hipError_t error);

/// Installs the handlers of SIGSEGV, SIGBUS, SIGFPE and of the watchdog, once a process.
void install_signal_handlers();
/// Gives this OS thread a stack for signal handlers, if it has none: the memory to free, or null.
void* install_signal_stack();
void remove_signal_stack(void* stack);
/// The watchdog looks at registered workers while they are inside a kernel.
void watch(Worker& worker);
void unwatch(Worker& worker);

/// Runs all blocks of a launch; the error and the report are in `launch`.
void execute(Launch& launch);

}  // namespace hipx
