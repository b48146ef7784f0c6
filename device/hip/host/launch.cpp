// What a launch must satisfy before a block runs.
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "device/hip/host/host_thread.h"
#include "device/hip/host/memory.h"
#include "device/hip/host/worker.h"

namespace hipx {
namespace {

constexpr std::uint32_t kMaxGridYz = 65535;

bool shape_allowed(const LaunchShape& shape) {
  const dim3 &grid = shape.grid, &block = shape.block;
  const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  const bool block_fits = block.x <= kMaxThreads && block.y <= kMaxThreads &&
                          block.z <= kMaxThreads && block.x * block.y * block.z <= kMaxThreads;
  return block_fits && block.x * block.y * block.z > 0 && blocks > 0 &&
         shape.shared_bytes <= kMaxSharedBytes && grid.y <= kMaxGridYz && grid.z <= kMaxGridYz;
}

std::string describe_shape(const LaunchShape& shape) {
  char text[512];
  std::snprintf(text, sizeof text,
                "invalid launch of %s: grid (%u,%u,%u), block (%u,%u,%u), %zu bytes of dynamic "
                "shared memory (limits: %u threads, %zu bytes)",
                shape.name, shape.grid.x, shape.grid.y, shape.grid.z, shape.block.x, shape.block.y,
                shape.block.z, shape.shared_bytes, kMaxThreads, kMaxSharedBytes);
  return text;
}

void run_now(const LaunchDesc& desc, const Settings& settings, unsigned wave) {
  if (host_thread().sticky != hipSuccess) return;
  host_thread().last_kernel = desc.shape.name;
  Launch launch;
  launch.desc = &desc;
  launch.settings = settings;
  launch.wave = wave;
  execute(launch);
  if (const auto error = static_cast<hipError_t>(launch.error.load()); error != hipSuccess)
    static_cast<void>(fail_for_good(error, std::move(launch.report)));
}

// A queued launch owns its arguments.
struct Queued {
  LaunchDesc desc;
  std::unique_ptr<std::byte[]> storage;
  Settings settings;
  unsigned wave;
};
std::shared_ptr<Queued> keep(const LaunchDesc& desc, const Settings& settings, unsigned wave) {
  constexpr std::size_t kAlignment = 64;
  auto queued = std::make_shared<Queued>(
      Queued{desc, std::make_unique<std::byte[]>(desc.args_size + kAlignment), settings, wave});
  void* place = queued->storage.get();
  std::size_t space = desc.args_size + kAlignment;
  std::align(kAlignment, desc.args_size, place, space);
  std::memcpy(place, desc.args, desc.args_size);
  queued->desc.args = place;
  queued->desc.pointers = nullptr;
  queued->desc.pointer_count = 0;
  return queued;
}

}  // namespace

hipError_t launch(const LaunchDesc& desc) {
  if (const hipError_t error = sticky_error(); error != hipSuccess) return error;
  if (!shape_allowed(desc.shape))
    return refuse(hipErrorInvalidConfiguration, describe_shape(desc.shape));
  for (unsigned i = 0; i < desc.pointer_count; ++i) {
    if (!desc.pointers[i] || memory::contains(desc.pointers[i])) continue;
    char text[256];
    std::snprintf(text, sizeof text, "pointer argument #%u (%p) of kernel %s is not device memory",
                  i, desc.pointers[i], desc.shape.name);
    return refuse(hipErrorInvalidDevicePointer, text);
  }
  HostThread& host = host_thread();
  const unsigned wave = host.device == 0 ? 64 : 32;
  if (!host.settings.lazy_streams) {
    run_now(desc, host.settings, wave);
    return sticky_error();
  }
  submit(desc.shape.stream, [queued = keep(desc, host.settings, wave)] {
    run_now(queued->desc, queued->settings, queued->wave);
  });
  return hipSuccess;
}

}  // namespace hipx
