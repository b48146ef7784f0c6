#include "device/hip/host/memory.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "device/hip/host/areas.h"
#include "device/hip/host/sanitizer.h"

namespace hipx::memory {
namespace {

constexpr std::size_t kAlignment = 16;
constexpr unsigned char kPoison = 0xFF;

struct Buffer {
  char* area = nullptr;  // accessible pages, an unmapped one on both sides
  std::size_t area_bytes = 0;
  const char* data = nullptr;
  std::size_t bytes = 0;  // what was asked for
  bool poisoned = false;
  const void* owner = nullptr;
};

struct Heap {
  std::mutex mutex;
  std::map<std::uintptr_t, Buffer> live;
};
// Never destroyed: kernels may still run while the process ends.
Heap& heap() {
  static Heap* const the_heap = new Heap;
  return *the_heap;
}

std::uintptr_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

std::optional<std::string> damage_beside(const Buffer& buffer) {
  if (!buffer.poisoned) return std::nullopt;
  const auto* area = reinterpret_cast<const unsigned char*>(buffer.area);
  const auto* data = reinterpret_cast<const unsigned char*>(buffer.data);
  const auto* area_end = area + buffer.area_bytes;
  const auto changed = [](unsigned char byte) { return byte != kPoison; };
  const auto* behind = std::find_if(data + buffer.bytes, area_end, changed);
  if (behind != area_end)
    return "a write outside an allocation: byte " + std::to_string(behind - data) +
           " of a buffer of " + std::to_string(buffer.bytes) + " bytes was changed";
  const auto* before = std::find_if(area, data, changed);
  if (before != data)
    return "a write outside an allocation: a byte " + std::to_string(data - before) +
           " bytes before a buffer of " + std::to_string(buffer.bytes) + " bytes was changed";
  return std::nullopt;
}

#if defined(PLUMBLINE_HIPX_ASAN)
// Red zones of malloc instead of pages.
void* place(const Request& request, Buffer& buffer) {
  void* pointer = nullptr;
  if (posix_memalign(&pointer, kAlignment, request.bytes) != 0) return nullptr;
  buffer.area = static_cast<char*>(pointer);
  buffer.area_bytes = request.bytes;
  if (request.poison) std::memset(pointer, kPoison, request.bytes);
  __asan_poison_memory_region(pointer, request.bytes);
  return pointer;
}
void unplace(const Buffer& buffer) {
  __asan_unpoison_memory_region(buffer.area, buffer.area_bytes);
  std::free(buffer.area);
}
#else
void* place(const Request& request, Buffer& buffer) {
  const std::size_t area_bytes = areas::size_for(request.bytes);
  char* area = areas::take(area_bytes);
  if (!area) return nullptr;
  if (request.poison) std::memset(area, kPoison, area_bytes);
  buffer.area = area;
  buffer.area_bytes = area_bytes;
  const std::size_t rounded = (request.bytes + kAlignment - 1) / kAlignment * kAlignment;
  return request.guard == Guard::kEnd ? area + area_bytes - rounded : area;
}
void unplace(const Buffer& buffer) { areas::drop(buffer.area, buffer.area_bytes); }
#endif

}  // namespace

void* allocate(const Request& request) {
  Buffer buffer;
  void* pointer = place(request, buffer);
  if (!pointer) return nullptr;
  buffer.data = static_cast<const char*>(pointer);
  buffer.bytes = request.bytes;
  buffer.poisoned = request.poison;
  buffer.owner = request.owner;
  const std::lock_guard lock(heap().mutex);
  heap().live.emplace(address_of(pointer), buffer);
  return pointer;
}

Freed release(void* pointer, std::string& damage) {
  Buffer buffer;
  {
    const std::lock_guard lock(heap().mutex);
    const auto found = heap().live.find(address_of(pointer));
    if (found == heap().live.end()) return Freed::kUnknown;
    buffer = found->second;
    heap().live.erase(found);
  }
  const auto found = damage_beside(buffer);
  unplace(buffer);
  if (!found) return Freed::kOk;
  damage = *found;
  return Freed::kDamaged;
}

bool contains(const void* pointer, std::size_t bytes) {
  const std::lock_guard lock(heap().mutex);
  auto next = heap().live.upper_bound(address_of(pointer));
  if (next == heap().live.begin()) return false;
  const auto& [begin, buffer] = *--next;
  const std::size_t offset = address_of(pointer) - begin;
  return offset < buffer.bytes && bytes <= buffer.bytes - offset;
}

std::optional<std::string> find_damage(const void* owner) {
  const std::lock_guard lock(heap().mutex);
  for (const auto& [ignored, buffer] : heap().live) {
    if (buffer.owner != owner) continue;
    if (auto damage = damage_beside(buffer)) return damage;
  }
  return std::nullopt;
}

std::string describe(const void* address) {
  const std::lock_guard lock(heap().mutex);
  const std::uintptr_t at = address_of(address);
  for (const auto& [begin, buffer] : heap().live) {
    const std::uintptr_t area = address_of(buffer.area);
    if (at < area - areas::kPageBytes || at >= area + buffer.area_bytes + areas::kPageBytes)
      continue;
    const std::string size = " a buffer of " + std::to_string(buffer.bytes) + " bytes";
    if (at < begin) return std::to_string(begin - at) + " bytes before" + size;
    if (at < begin + buffer.bytes) return "at byte " + std::to_string(at - begin) + " of" + size;
    return std::to_string(at - begin - buffer.bytes) + " bytes behind" + size;
  }
  return "in no buffer";
}

#if defined(PLUMBLINE_HIPX_ASAN)
// A host dereference of a device pointer becomes an ASan report.
Open::Open() {
  const std::lock_guard lock(heap().mutex);
  for (const auto& entry : heap().live)
    __asan_unpoison_memory_region(entry.second.area, entry.second.area_bytes);
}
Open::~Open() {
  const std::lock_guard lock(heap().mutex);
  for (const auto& entry : heap().live)
    __asan_poison_memory_region(entry.second.area, entry.second.area_bytes);
}
#else
Open::Open() = default;
Open::~Open() = default;
#endif

}  // namespace hipx::memory
