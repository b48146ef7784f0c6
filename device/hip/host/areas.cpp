#include "device/hip/host/areas.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace hipx::areas {
namespace {

constexpr std::size_t kLargestCached = std::size_t{16} << 20;
constexpr std::size_t kCacheLimit = std::size_t{256} << 20;

struct Cache {
  std::mutex mutex;
  std::unordered_map<std::size_t, std::vector<char*>> by_size;
  std::size_t bytes = 0;
};
// Never destroyed: kernels may still run while the process ends.
Cache& cache() {
  static Cache* const the_cache = new Cache;
  return *the_cache;
}

void unmap(char* area, std::size_t area_bytes) {
  munmap(area - kPageBytes, area_bytes + 2 * kPageBytes);
}

bool open_area(char* area, std::size_t area_bytes) {
  return mprotect(area, area_bytes, PROT_READ | PROT_WRITE) == 0;
}

char* take_cached(std::size_t area_bytes) {
  Cache& kept = cache();
  const std::lock_guard lock(kept.mutex);
  const auto found = kept.by_size.find(area_bytes);
  if (found == kept.by_size.end() || found->second.empty()) return nullptr;
  char* area = found->second.back();
  found->second.pop_back();
  kept.bytes -= area_bytes;
  return area;
}

bool keep(char* area, std::size_t area_bytes) {
  Cache& kept = cache();
  const std::lock_guard lock(kept.mutex);
  if (area_bytes > kLargestCached || kept.bytes + area_bytes > kCacheLimit) return false;
  kept.by_size[area_bytes].push_back(area);
  kept.bytes += area_bytes;
  return true;
}

}  // namespace

std::size_t size_for(std::size_t bytes) {
  const std::size_t pages = (bytes + kPageBytes - 1) / kPageBytes;
  const std::size_t step = std::max<std::size_t>(1, std::bit_floor(pages) / 4);
  return (pages + step - 1) / step * step * kPageBytes;
}

char* take(std::size_t area_bytes) {
  char* area = take_cached(area_bytes);
  if (!area) {
    void* map = mmap(nullptr, area_bytes + 2 * kPageBytes, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) return nullptr;
    area = static_cast<char*>(map) + kPageBytes;
  }
  if (open_area(area, area_bytes)) return area;
  unmap(area, area_bytes);
  return nullptr;
}

void drop(char* area, std::size_t area_bytes) {
  const bool closed = mprotect(area, area_bytes, PROT_NONE) == 0;
  if (!closed || !keep(area, area_bytes)) unmap(area, area_bytes);
}

}  // namespace hipx::areas
