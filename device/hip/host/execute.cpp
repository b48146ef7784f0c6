// One launch: its blocks in order on the calling thread, or spread over TBB's threads.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <cstring>

#include "device/hip/host/memory.h"
#include "device/hip/host/sanitizer.h"
#include "device/hip/host/worker.h"

namespace hipx {

namespace {

void prepare_shared(Worker& worker) {
  const std::size_t bytes = worker.launch->desc->shape.shared_bytes;
  const Settings& settings = worker.launch->settings;
#if defined(PLUMBLINE_HIPX_ASAN)
  worker.dynamic_shared = worker.shared_arena;
  __asan_unpoison_memory_region(worker.shared_arena, bytes);
  __asan_poison_memory_region(worker.shared_arena + bytes, kMaxSharedBytes - bytes);
#else
  const std::size_t rounded = (bytes + 15) / 16 * 16;
  worker.dynamic_shared = settings.guard == Guard::kEnd
                              ? worker.shared_arena + kMaxSharedBytes - rounded
                              : worker.shared_arena;
#endif
  if (bytes && settings.poison) std::memset(worker.dynamic_shared, 0xFF, bytes);
}

void prepare_warps(Worker& worker) {
  worker.arrived = worker.finished = worker.current_warp = 0;
  worker.runnable_warps = 0;
  for (unsigned i = 0; i < worker.warps; ++i) {
    Warp& warp = worker.warp[i];
    const unsigned lanes = std::min(worker.wave, worker.threads - i * worker.wave);
    warp.exist = lanes == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << lanes) - 1;
    warp.runnable = warp.exist;
    warp.at_barrier = warp.in_operation = warp.done = 0;
    warp.generation = 0;
    worker.runnable_warps |= 1u << i;
  }
  std::memset(worker.by_thread, 0, sizeof(Fiber*) * worker.threads);
}

#if defined(PLUMBLINE_HIPX_TSAN)
// Every fiber exists before the kernel starts: TSan would see an allocation on a GPU thread.
void prepare_tsan(Worker& worker) {
  worker.main.tsan = __tsan_get_current_fiber();
  __tsan_release(&worker.launch_sync);
  while (worker.fiber_count < worker.threads) new_fiber(worker);
  worker.free_count = 0;
  for (unsigned i = 0; i < worker.fiber_count; ++i)
    worker.free_fibers[worker.free_count++] = &worker.fibers[i];
}
#endif

void keep_failure(Worker& worker) {
  Launch& launch = *worker.launch;
  rebuild_fibers(worker);
  const std::lock_guard lock(launch.mutex);
  if (launch.error.exchange(worker.error) == hipSuccess) launch.report = worker.report;
}

void run_block(Worker& worker, uint3 block) {
  blockIdx = block;
  worker.failed = false;
  static_shared = worker.static_shared;
  block_serial = worker.serial.load(std::memory_order_relaxed) + 1;
  worker.serial.store(block_serial, std::memory_order_relaxed);
  prepare_shared(worker);
  prepare_warps(worker);
#if defined(PLUMBLINE_HIPX_TSAN)
  prepare_tsan(worker);
#endif
  worker.current = &worker.main;
  const int thread = first_thread(worker);
  Fiber* fiber = grab_fiber(worker);
  assign(worker, fiber, static_cast<unsigned>(thread));
  switch_fiber(worker, fiber);
#if defined(PLUMBLINE_HIPX_TSAN)
  __tsan_acquire(&worker.end_sync);
#endif
  if (worker.failed) keep_failure(worker);
}

void prepare_worker(Worker& worker, Launch& launch) {
  const dim3& block = launch.desc->shape.block;
  worker.launch = &launch;
  worker.threads = block.x * block.y * block.z;
  worker.wave = launch.wave;
  worker.wave_shift = launch.wave == 64 ? 6 : 5;
  worker.warps = (worker.threads + launch.wave - 1) / launch.wave;
  worker.order = launch.settings.order;
  worker.strict = launch.settings.strict;
  worker.random = launch.settings.seed | 1;
  worker.limit_seconds.store(launch.settings.watchdog_seconds, std::memory_order_relaxed);
  warpSize = static_cast<int>(launch.wave);
  blockDim = block;
  gridDim = launch.desc->shape.grid;
}

void run_blocks(Launch& launch, std::size_t begin, std::size_t end) {
  Worker& worker = worker_of_this_thread();
  prepare_worker(worker, launch);
  current_worker = &worker;
  const dim3& grid = launch.desc->shape.grid;
  for (std::size_t i = begin; i < end && launch.error.load(std::memory_order_relaxed) == hipSuccess;
       ++i) {
    const std::size_t row = i / grid.x;
    run_block(worker,
              {static_cast<std::uint32_t>(i - row * grid.x),
               static_cast<std::uint32_t>(row % grid.y), static_cast<std::uint32_t>(row / grid.y)});
  }
  current_worker = nullptr;
}

}  // namespace

void execute(Launch& launch) {
  const memory::Open open;
  const dim3& grid = launch.desc->shape.grid;
  const std::size_t blocks = std::size_t{grid.x} * grid.y * grid.z;
  if (kSingleWorker || launch.settings.workers <= 1 || blocks == 1) {
    run_blocks(launch, 0, blocks);
    return;
  }
  // Isolated: while it waits, this thread may not start other work of the same pool, which would
  // find this launch's state.
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, blocks),
                      [&](const auto& range) { run_blocks(launch, range.begin(), range.end()); });
  });
}

}  // namespace hipx
