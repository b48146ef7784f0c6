// The sanitizers call these before a report: it gets the coordinates of the GPU thread.
#include <cstdio>

#include "device/hip/host/worker.h"

namespace hipx {
namespace {

void name_the_thread(const char* tool) {
  Worker* worker = current_worker;
  if (!worker || !worker->inside.load(std::memory_order_relaxed)) return;
  write_report(*worker, "%s finding (details in its report)", tool);
  std::fprintf(stderr, "hipx: error: %s\n", worker->report);
}

}  // namespace
}  // namespace hipx

extern "C" {
void __asan_on_error() { hipx::name_the_thread("AddressSanitizer"); }
void __tsan_on_report(void*) { hipx::name_the_thread("ThreadSanitizer"); }
void __ubsan_on_report() { hipx::name_the_thread("UndefinedBehaviorSanitizer"); }
}
