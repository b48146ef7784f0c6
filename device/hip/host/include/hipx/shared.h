#pragma once
// Shared memory of a block, poisoned with 0xFF bytes (NaN) at the start of every block.
// The names are HIP's own.
// NOLINTBEGIN(readability-identifier-naming,bugprone-macro-parentheses)
#include <cstddef>
#include <cstdint>

#include "device/hip/host/include/hipx/language.h"

namespace hipx {

/// Number of the block that this worker runs; never the same twice in a process.
PLUMBLINE_HIPX_NEAR constinit inline thread_local std::uint64_t block_serial = 0;

/// The dynamic shared memory of the running block.
void* dynamic_shared();
/// Fills a static shared array with 0xFF bytes, if the settings want poison.
void poison_shared(void* data, std::size_t bytes);

#if defined(PLUMBLINE_HIPX_TSAN)
void enter_shared(std::uint64_t* seen, void* data, std::size_t bytes);
#else
/// Poisons a static shared array if this block has not entered it before.
inline void enter_shared(std::uint64_t* seen, void* data, std::size_t bytes) {
  if (*seen == block_serial) [[likely]]
    return;
  *seen = block_serial;
  poison_shared(data, bytes);
}
#endif

/// The place of one shared array in each worker's memory for them, taken once a process. Thread
/// variables would be as good, but large ones must be found by a call in a shared library.
class SharedSlot {
 public:
  explicit SharedSlot(std::size_t bytes);
  std::size_t offset() const { return offset_; }

 private:
  std::size_t offset_;
};
/// The running worker's memory for shared arrays.
PLUMBLINE_HIPX_NEAR constinit inline thread_local char* static_shared = nullptr;

/// A line of 64 bytes that says which block entered it, then the array.
inline void* shared_array(const SharedSlot& slot, std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  char* place = static_shared + slot.offset();
  enter_shared(reinterpret_cast<std::uint64_t*>(place), place + kLine, bytes);
  return place + kLine;
}

}  // namespace hipx

#define PLUMBLINE_DYNAMIC_SHARED(TYPE, NAME) \
  TYPE* NAME = static_cast<TYPE*>(::hipx::dynamic_shared())
// On cache lines, so that no vector of 64 bytes lies on two. Sanitizers put red zones around plain
// static arrays only; there, one worker runs everything.
#if defined(PLUMBLINE_HIPX_ASAN) || defined(PLUMBLINE_HIPX_TSAN)
#define PLUMBLINE_SHARED(TYPE, NAME, ...)             \
  alignas(64) __shared__ TYPE NAME __VA_ARGS__;       \
  __shared__ ::std::uint64_t NAME##_entered_by_block; \
  ::hipx::enter_shared(&NAME##_entered_by_block, &NAME, sizeof(NAME))
#else
#define PLUMBLINE_SHARED(TYPE, NAME, ...)                            \
  using NAME##_array = TYPE __VA_ARGS__;                             \
  static const ::hipx::SharedSlot NAME##_slot(sizeof(NAME##_array)); \
  auto& NAME = *static_cast<NAME##_array*>(::hipx::shared_array(NAME##_slot, sizeof(NAME##_array)))
#endif
#define HIP_DYNAMIC_SHARED(TYPE, NAME) PLUMBLINE_DYNAMIC_SHARED(TYPE, NAME);
// NOLINTEND(readability-identifier-naming,bugprone-macro-parentheses)
