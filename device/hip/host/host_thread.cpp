#include "device/hip/host/host_thread.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "device/hip/host/memory.h"

namespace hipx {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}
void read_flag(const char* name, bool& flag) {
  if (const std::string_view value = environment(name); !value.empty()) flag = value != "0";
}

void keep_report(std::string report) {
  HostThread& host = host_thread();
  if (host.settings.print) std::fprintf(stderr, "hipx: error: %s\n", report.c_str());
  host.report = std::move(report);
}

}  // namespace

Settings default_settings() {
  Settings result;
  read_flag("HIPX_POISON", result.poison);
  read_flag("HIPX_STRICT", result.strict);
  read_flag("HIPX_PRINT", result.print);
  result.lazy_streams = environment("HIPX_STREAMS") == "lazy";
  if (environment("HIPX_GUARD") == "start") result.guard = Guard::kStart;
  const std::string_view order = environment("HIPX_ORDER");
  if (order == "reverse") result.order = Order::kReverse;
  if (order.substr(0, 6) == "random") result.order = Order::kRandom;
  if (order.substr(0, 7) == "random:") result.seed = std::strtoull(order.data() + 7, nullptr, 0);
  if (const char* value = std::getenv("HIPX_WATCHDOG"))
    result.watchdog_seconds = std::strtod(value, nullptr);
  if (const char* value = std::getenv("HIPX_WORKERS")) result.workers = std::atoi(value);
  return result;
}

HostThread& host_thread() {
  static thread_local HostThread the_host_thread;
  return the_host_thread;
}

const Settings& settings() { return host_thread().settings; }
void set_settings(const Settings& settings) { host_thread().settings = settings; }
const std::string& last_report() { return host_thread().report; }

void reset() {
  HostThread& host = host_thread();
  host.last = host.sticky = hipSuccess;
  host.report.clear();
  host.null_stream.queue.clear();
  for (hipxStream* stream : host.streams) stream->queue.clear();
}

std::optional<std::string> check() {
  const HostThread& host = host_thread();
  auto damage = memory::find_damage(&host);
  if (damage && !host.last_kernel.empty()) *damage += "; the last kernel was " + host.last_kernel;
  return damage;
}

hipError_t fail(hipError_t error) {
  host_thread().last = error;
  return error;
}
hipError_t fail_for_good(hipError_t error, std::string report) {
  keep_report(std::move(report));
  host_thread().sticky = error;
  return fail(error);
}
hipError_t refuse(hipError_t error, std::string report) {
  keep_report(std::move(report));
  return fail(error);
}
hipError_t sticky_error() {
  const hipError_t sticky = host_thread().sticky;
  return sticky == hipSuccess ? hipSuccess : fail(sticky);
}

void submit(hipStream_t stream, std::function<void()> work) {
  HostThread& host = host_thread();
  if (!host.settings.lazy_streams) {
    work();
    return;
  }
  (stream ? *stream : host.null_stream).queue.push_back(std::move(work));
}
void drain(hipxStream& stream) {
  while (!stream.queue.empty()) {
    const auto work = std::move(stream.queue.front());
    stream.queue.pop_front();
    work();
  }
}
void drain_all() {
  HostThread& host = host_thread();
  drain(host.null_stream);
  for (hipxStream* stream : host.streams) drain(*stream);
}

}  // namespace hipx
