// HIP's calls on streams and events.
#include <chrono>
#include <vector>

#include "device/hip/host/host_thread.h"

namespace {

hipxStream& stream_of(hipStream_t stream) {
  return stream ? *stream : hipx::host_thread().null_stream;
}
double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
// Runs the event's stream until the event has happened.
void run_until_done(hipxEvent& event) {
  if (event.done || !event.stream) return;
  auto& queue = event.stream->queue;
  while (!event.done && !queue.empty()) {
    const auto work = std::move(queue.front());
    queue.pop_front();
    work();
  }
}

}  // namespace

hipError_t hipStreamCreate(hipStream_t* stream) {
  if (!stream) return hipx::fail(hipErrorInvalidValue);
  *stream = new hipxStream;
  hipx::host_thread().streams.push_back(*stream);
  return hipSuccess;
}
hipError_t hipStreamDestroy(hipStream_t stream) {
  if (!stream) return hipx::fail(hipErrorInvalidHandle);
  hipx::drain(*stream);
  std::erase(hipx::host_thread().streams, stream);
  delete stream;
  return hipSuccess;
}
hipError_t hipStreamSynchronize(hipStream_t stream) {
  hipx::drain(stream_of(stream));
  return hipx::sticky_error();
}
hipError_t hipStreamQuery(hipStream_t stream) {
  return stream_of(stream).queue.empty() ? hipSuccess : hipErrorNotReady;
}
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned) {
  if (!event) return hipx::fail(hipErrorInvalidHandle);
  hipx::submit(stream, [event] { run_until_done(*event); });
  return hipSuccess;
}

hipError_t hipEventCreate(hipEvent_t* event) {
  if (!event) return hipx::fail(hipErrorInvalidValue);
  *event = new hipxEvent;
  return hipSuccess;
}
hipError_t hipEventDestroy(hipEvent_t event) {
  if (!event) return hipx::fail(hipErrorInvalidHandle);
  run_until_done(*event);
  delete event;
  return hipSuccess;
}
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  if (!event) return hipx::fail(hipErrorInvalidHandle);
  event->done = false;
  event->stream = &stream_of(stream);
  hipx::submit(stream, [event] {
    event->seconds = now();
    event->done = true;
  });
  return hipSuccess;
}
hipError_t hipEventSynchronize(hipEvent_t event) {
  if (!event) return hipx::fail(hipErrorInvalidHandle);
  run_until_done(*event);
  return hipx::sticky_error();
}
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop) {
  if (!milliseconds || !start || !stop) return hipx::fail(hipErrorInvalidValue);
  if (!start->done || !stop->done) return hipx::fail(hipErrorNotReady);
  *milliseconds = static_cast<float>((stop->seconds - start->seconds) * 1e3);
  return hipSuccess;
}
