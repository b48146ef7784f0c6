#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include "device/hip/host/runtime.h"

/// Device memory of the CPU device: every buffer lies against an unmapped page, its slack is
/// poisoned and looked at when it is freed.
namespace hipx::memory {

/// How to allocate.
struct Request {
  std::size_t bytes = 0;
  Guard guard = Guard::kEnd;
  bool poison = true;
  const void* owner = nullptr;  ///< the host thread's state
};

/// A buffer aligned to 16 bytes, or null if there is no memory.
void* allocate(const Request& request);

/// What hipFree found.
enum class Freed { kOk, kUnknown, kDamaged };
/// Gives a buffer back; kDamaged: the bytes beside it were overwritten, `damage` says where.
Freed release(void* pointer, std::string& damage);

/// True if [pointer, pointer + bytes) lies in one live buffer; with bytes 0, if the pointer does.
bool contains(const void* pointer, std::size_t bytes = 0);
/// First damage beside the live buffers of an owner.
std::optional<std::string> find_damage(const void* owner);
/// "16 bytes behind a buffer of 64 bytes", or "in no buffer". Usable inside a signal handler that
/// interrupted a kernel.
std::string describe(const void* address);

/// While one lives, host code may touch device memory (ASan builds; nothing otherwise).
class Open {  // NOLINT(performance-trivially-destructible): ASan builds close it
 public:
  Open();
  ~Open();
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;
};

}  // namespace hipx::memory
