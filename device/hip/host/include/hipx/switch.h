#pragma once
// How a GPU thread waits: bookkeeping out of line, the stack switch inlined into the kernel, so
// that every waiting place has its own return-address prediction (twice as fast as a call).
// The names are HIP's own.
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier)
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "device/hip/host/include/hipx/language.h"

#if defined(__x86_64__) && !defined(PLUMBLINE_HIPX_ASAN) && !defined(PLUMBLINE_HIPX_TSAN) && \
    !defined(PLUMBLINE_HIPX_PORTABLE_SWITCH)
#define PLUMBLINE_HIPX_ASM_SWITCH 1
#define PLUMBLINE_HIPX_INLINE [[gnu::always_inline]] inline
#else
#define PLUMBLINE_HIPX_INLINE inline
#endif

namespace hipx {

/// A place in a kernel's source.
struct Location {
  const char* file;
  int line;
};

/// What the bookkeeping decided: store the running stack to `save` and continue on `next`; no
/// switch if `next` is null.
struct Switch {
  void** save;
  void* next;
};

#if defined(PLUMBLINE_HIPX_ASM_SWITCH)
#if defined(__AVX512F__)
#define PLUMBLINE_HIPX_WIDE_REGISTERS                                                           \
  , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",   \
      "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", \
      "k7"
#else
#define PLUMBLINE_HIPX_WIDE_REGISTERS
#endif
/// Saves the stack pointer to `*save` and continues on the stack `next`. The stack holds, from its
/// top, the address to continue at and rbp; every other register counts as lost.
[[gnu::always_inline]] inline void do_switch(void** save, void* next) {
  asm volatile(
      "leaq -128(%%rsp), %%rsp\n\t pushq %%rbp\n\t leaq 1f(%%rip), %%rdx\n\t pushq %%rdx\n\t"
      "movq %%rsp, (%0)\n\t movq %1, %%rsp\n\t popq %%rdx\n\t jmpq *%%rdx\n"
      "1:\n\t popq %%rbp\n\t leaq 128(%%rsp), %%rsp"
      : "+a"(save), "+c"(next)
      :
      : "rdx", "rbx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory",
        "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
        "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15" PLUMBLINE_HIPX_WIDE_REGISTERS);
}
#else
/// As above with Boost.Context, and the sanitizers told of it.
void do_switch(void** save, void* next);
#endif

/// Folds the values of all lanes of a wave in place: slots[lane], mask of the lanes that take part.
using Fold = void (*)(std::uint64_t* slots, std::uint64_t mask);

/// One lane's part in a wave operation.
struct WarpCall {
  Location location;
  int operation;                   ///< lanes that meet must agree on it
  std::uint64_t value;             ///< this lane's value, as bits
  bool fence;                      ///< also orders memory (__syncwarp)
  Fold fold;                       ///< run once by the last lane, or null
  std::uint64_t mask = 0;          ///< returned: lanes that take part
  std::uint64_t* slots = nullptr;  ///< returned: every lane's value
};

/// The running thread has reached __syncthreads.
Switch barrier_arrive(Location location);
/// The running lane has reached a wave operation.
Switch warp_arrive(WarpCall& call);
/// Index of the running thread in its wave.
unsigned lane();

#if defined(PLUMBLINE_HIPX_TSAN)
// Out of line, so that TSan does not see the runtime's own reads.
void barrier_leave();
void warp_leave(bool fence);
std::uint64_t slot_get(const std::uint64_t* slots, int lane);
#else
inline void barrier_leave() {}
inline void warp_leave(bool) {}
inline std::uint64_t slot_get(const std::uint64_t* slots, int lane) { return slots[lane]; }
#endif

/// Waits until every thread of the block is here.
PLUMBLINE_HIPX_INLINE void barrier(Location location) {
  const Switch to = barrier_arrive(location);
  if (to.next) do_switch(to.save, to.next);
  barrier_leave();
}

/// Waits until every live lane of the wave is here.
PLUMBLINE_HIPX_INLINE void warp_meet(WarpCall& call) {
  const Switch to = warp_arrive(call);
  if (to.next) do_switch(to.save, to.next);
  warp_leave(call.fence);
}

/// The bits of a value of at most eight bytes, zero-extended.
template <class T>
inline std::uint64_t to_bits(T value) {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}
/// Inverse of to_bits.
template <class T>
inline T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

}  // namespace hipx

/// Where a call stands, as default arguments: reports name the kernel's line.
#define PLUMBLINE_HIPX_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

PLUMBLINE_HIPX_INLINE void __syncthreads(PLUMBLINE_HIPX_HERE) { ::hipx::barrier({file, line}); }
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
