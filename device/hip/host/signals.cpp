// A fault inside a kernel, and a block that does not end: the block is given up and the launch
// fails; the process lives on. Faults of host code go to whoever handled them before.
#include <signal.h>
#include <ucontext.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <unordered_map>

#include "device/hip/host/memory.h"
#include "device/hip/host/worker.h"

namespace hipx {
namespace {

constexpr std::size_t kSignalStackBytes = std::size_t{64} * 1024;
constexpr int kWatchdogSignal = SIGURG;  // ignored by default
#if defined(PLUMBLINE_HIPX_ASAN)
constexpr std::array<int, 0> kFaults{};  // ASan reports them itself; its hook adds the coordinates
#else
constexpr std::array kFaults{SIGSEGV, SIGBUS, SIGFPE};
#endif
struct sigaction previous_actions[NSIG];

// Returning from the handler continues on the worker's main stack, as a switch to it would.
void leave_kernel(Worker& worker, hipError_t error, [[maybe_unused]] void* context) {
  worker.failed = true;
  worker.error = error;
  worker.inside = false;
#if defined(PLUMBLINE_HIPX_ASM_SWITCH)
  worker.current = &worker.main;
  constexpr greg_t kDirectionFlag = 0x400;
  auto* machine = &static_cast<ucontext_t*>(context)->uc_mcontext;
  void** stack = static_cast<void**>(worker.main.stack_pointer);
  machine->gregs[REG_RIP] = reinterpret_cast<greg_t>(stack[0]);
  machine->gregs[REG_RSP] = reinterpret_cast<greg_t>(stack + 1);
  machine->gregs[REG_EFL] &= ~kDirectionFlag;
#else
  std::fprintf(stderr, "hipx: error: %s\n", worker.report);
  std::_Exit(EXIT_FAILURE);
#endif
}

std::string describe_address(const Worker& worker, const void* address) {
  const auto* at = static_cast<const char*>(address);
  const char* guard = worker.current->stack - kPageBytes;
  if (at >= guard && at < worker.current->stack) return "the thread's stack has overflowed";
  const char* arena = worker.shared_arena;
  if (at >= arena - kPageBytes && at < arena + kMaxSharedBytes + kPageBytes)
    return "outside the dynamic shared memory of " +
           std::to_string(worker.launch->desc->shape.shared_bytes) + " bytes";
  return memory::describe(address);
}

void pass_on(int signal, siginfo_t* info, void* context) {
  const struct sigaction& previous = previous_actions[signal];
  if (previous.sa_flags & SA_SIGINFO) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  } else {
    sigaction(signal, &previous, nullptr);  // the instruction faults again, for good
    if (info->si_code <= 0) raise(signal);  // sent by a process: no instruction comes back to it
  }
}

void on_fault(int signal, siginfo_t* info, void* context) {
  Worker* worker = current_worker;
  if (!worker || !worker->inside.load(std::memory_order_relaxed)) {
    pass_on(signal, info, context);
    return;
  }
  if (signal == SIGFPE) {
    write_report(*worker, "integer division by zero or overflow");
  } else {
    write_report(*worker, "illegal address %p: %s", info->si_addr,
                 describe_address(*worker, info->si_addr).c_str());
  }
  leave_kernel(*worker, hipErrorIllegalAddress, context);
}

void on_watchdog(int, siginfo_t*, void* context) {
  Worker* worker = current_worker;
  if (!worker || !worker->inside.load(std::memory_order_relaxed)) return;
  if (worker->overdue.load() != worker->serial.load()) return;
  write_report(*worker,
               "watchdog: the block has not ended within %g s; this thread was running (a "
               "spin-wait inside a block?)",
               worker->limit_seconds.load());
  leave_kernel(*worker, hipErrorLaunchTimeOut, context);
}

void name_the_thread(const char* tool) {
  Worker* worker = current_worker;
  if (!worker || !worker->inside.load(std::memory_order_relaxed)) return;
  write_report(*worker, "%s finding (details in its report)", tool);
  std::fprintf(stderr, "hipx: error: %s\n", worker->report);
}

void install(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, &previous_actions[signal]);
}

using Clock = std::chrono::steady_clock;
struct Watched {
  std::uint64_t serial = 0;
  Clock::time_point since{};
};
struct Watchdog {
  std::mutex mutex;
  std::unordered_map<Worker*, Watched> workers;
  bool started = false;
};
// Never destroyed: the watching thread outlives main.
Watchdog& watchdog() {
  static Watchdog* const the_watchdog = new Watchdog;
  return *the_watchdog;
}

void look_at(Worker& worker, Watched& seen, Clock::time_point now) {
  const std::uint64_t serial = worker.serial.load(std::memory_order_relaxed);
  const double limit = worker.limit_seconds.load(std::memory_order_relaxed);
  if (serial != seen.serial || !worker.inside.load(std::memory_order_relaxed)) {
    seen = {serial, now};
    return;
  }
  if (!(limit > 0) || std::chrono::duration<double>(now - seen.since).count() < limit) return;
  worker.overdue = serial;
#if defined(PLUMBLINE_HIPX_TSAN)
  // TSan holds signals back until the spinning thread calls a function it knows: never.
  std::fprintf(stderr, "hipx: error: watchdog: a block of kernel %s has not ended within %g s\n",
               worker.launch->desc->shape.name, limit);
  std::_Exit(EXIT_FAILURE);
#else
  pthread_kill(worker.os_thread, kWatchdogSignal);
#endif
}

void keep_watch() {
  for (;;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    Watchdog& dog = watchdog();
    const std::lock_guard lock(dog.mutex);
    const Clock::time_point now = Clock::now();
    for (auto& [worker, seen] : dog.workers) look_at(*worker, seen, now);
  }
}

}  // namespace

void install_signal_handlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    for (const int signal : kFaults) install(signal, on_fault);
    install(kWatchdogSignal, on_watchdog);
  });
}

void* install_signal_stack() {
  stack_t present{};
  if (sigaltstack(nullptr, &present) == 0 && !(present.ss_flags & SS_DISABLE)) return nullptr;
  void* memory = std::malloc(kSignalStackBytes);
  stack_t wanted{};
  wanted.ss_sp = memory;
  wanted.ss_size = kSignalStackBytes;
  if (memory && sigaltstack(&wanted, nullptr) == 0) return memory;
  std::free(memory);
  return nullptr;
}
void remove_signal_stack(void* stack) {
  if (!stack) return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  std::free(stack);
}

void watch(Worker& worker) {
  Watchdog& dog = watchdog();
  const std::lock_guard lock(dog.mutex);
  dog.workers.emplace(&worker, Watched{});
  if (!dog.started) std::thread(keep_watch).detach();
  dog.started = true;
}
void unwatch(Worker& worker) {
  Watchdog& dog = watchdog();
  const std::lock_guard lock(dog.mutex);
  dog.workers.erase(&worker);
}

}  // namespace hipx

// The sanitizers call these before a report: it gets the coordinates of the GPU thread.
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier)
extern "C" {
void __asan_on_error() { hipx::name_the_thread("AddressSanitizer"); }
void __tsan_on_report(void*) { hipx::name_the_thread("ThreadSanitizer"); }
void __ubsan_on_report() { hipx::name_the_thread("UndefinedBehaviorSanitizer"); }
}
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
