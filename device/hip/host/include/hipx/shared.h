#pragma once
// Shared memory of a block, poisoned with 0xFF bytes (NaN) at the start of every block.
// The names are HIP's own.
// NOLINTBEGIN(readability-identifier-naming,bugprone-macro-parentheses)
#include <cstddef>
#include <cstdint>

#include "device/hip/host/include/hipx/language.h"

namespace hipx {

/// Number of the block that this worker runs; never the same twice in a process.
constinit inline thread_local std::uint64_t block_serial = 0;

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

}  // namespace hipx

#define PLUMBLINE_DYNAMIC_SHARED(TYPE, NAME) \
  TYPE* NAME = static_cast<TYPE*>(::hipx::dynamic_shared())
// On cache lines, so that no vector of 64 bytes lies on two.
#define PLUMBLINE_SHARED(TYPE, NAME, ...)             \
  alignas(64) __shared__ TYPE NAME __VA_ARGS__;       \
  __shared__ ::std::uint64_t NAME##_entered_by_block; \
  ::hipx::enter_shared(&NAME##_entered_by_block, &NAME, sizeof(NAME))
#define HIP_DYNAMIC_SHARED(TYPE, NAME) PLUMBLINE_DYNAMIC_SHARED(TYPE, NAME);
// NOLINTEND(readability-identifier-naming,bugprone-macro-parentheses)
