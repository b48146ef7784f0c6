#pragma once
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "device/hip/host/include/hip/hip_runtime_api.h"
#include "device/hip/host/runtime.h"

/// A stream: work in order, run at once or at the next synchronisation.
struct hipxStream {
  std::deque<std::function<void()>> queue;
};
/// A point in a stream's work.
struct hipxEvent {
  double seconds = 0;
  hipxStream* stream = nullptr;
  bool done = true;
};

namespace hipx {

/// All that HIP keeps for one host thread.
struct HostThread {
  Settings settings = default_settings();
  int device = 0;
  hipError_t last = hipSuccess;
  hipError_t sticky = hipSuccess;
  std::string report;
  std::string last_kernel;
  hipxStream null_stream;
  std::vector<hipxStream*> streams;
};
HostThread& host_thread();

/// Records an error that the call returns (hipGetLastError sees it).
hipError_t fail(hipError_t error);
/// As fail, and every later call returns it until a reset.
hipError_t fail_for_good(hipError_t error, std::string report);
/// As fail, with a text for last_report.
hipError_t refuse(hipError_t error, std::string report);
/// The sticky error, recorded; hipSuccess if there is none.
hipError_t sticky_error();

/// Runs the work now, or queues it where streams are lazy.
void submit(hipStream_t stream, std::function<void()> work);
/// Runs what is queued on a stream.
void drain(hipxStream& stream);
/// Runs what is queued on every stream of this host thread.
void drain_all();

}  // namespace hipx
