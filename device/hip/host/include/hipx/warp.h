#pragma once
// Wave operations: shuffles, votes, __syncwarp. Every live lane of the wave must take part.
// The names are HIP's own.
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier)
#include <cstdint>

#include "device/hip/host/include/hipx/language.h"
#include "device/hip/host/include/hipx/switch.h"

namespace hipx {

/// Which operation lanes meet in; lanes at the same line in different ones are divergent.
enum Operation { kSync, kShuffle, kShuffleXor, kShuffleDown, kShuffleUp, kBallot, kSum, kMax };

/// Meets the wave with a value and returns every lane's value.
template <class T>
PLUMBLINE_HIPX_INLINE std::uint64_t* exchange(Location location, int operation, T value) {
  WarpCall call{location, operation, to_bits(value), false, nullptr};
  warp_meet(call);
  return call.slots;
}
/// Meets the wave with a value and returns what `fold` left in slot 0.
template <class T>
PLUMBLINE_HIPX_INLINE T reduce(Location location, int operation, T value, Fold fold) {
  WarpCall call{location, operation, to_bits(value), false, fold};
  warp_meet(call);
  return from_bits<T>(slot_get(call.slots, 0));
}

}  // namespace hipx

PLUMBLINE_HIPX_INLINE void __syncwarp(unsigned long long = ~0ull, PLUMBLINE_HIPX_HERE) {
  ::hipx::WarpCall call{{file, line}, ::hipx::kSync, 0, true, nullptr};
  ::hipx::warp_meet(call);
}
inline unsigned __lane_id() { return ::hipx::lane(); }
template <class T>
PLUMBLINE_HIPX_INLINE T __shfl(T value, int source, int width = warpSize, PLUMBLINE_HIPX_HERE) {
  const int me = static_cast<int>(::hipx::lane());
  const auto* slots = ::hipx::exchange({file, line}, ::hipx::kShuffle, value);
  const int from = (me & ~(width - 1)) + (source & (width - 1));
  return ::hipx::from_bits<T>(::hipx::slot_get(slots, from));
}
template <class T>
PLUMBLINE_HIPX_INLINE T __shfl_xor(T value, int mask, int width = warpSize, PLUMBLINE_HIPX_HERE) {
  const int me = static_cast<int>(::hipx::lane());
  const auto* slots = ::hipx::exchange({file, line}, ::hipx::kShuffleXor, value);
  const int from = me ^ mask;
  const bool inside = from < ((me + width) & ~(width - 1));
  return ::hipx::from_bits<T>(::hipx::slot_get(slots, inside ? from : me));
}
template <class T>
PLUMBLINE_HIPX_INLINE T __shfl_down(T value, unsigned delta, int width = warpSize,
                                    PLUMBLINE_HIPX_HERE) {
  const int me = static_cast<int>(::hipx::lane());
  const auto* slots = ::hipx::exchange({file, line}, ::hipx::kShuffleDown, value);
  const int step = static_cast<int>(delta);
  const bool inside = (me & (width - 1)) + step < width;
  return ::hipx::from_bits<T>(::hipx::slot_get(slots, inside ? me + step : me));
}
template <class T>
PLUMBLINE_HIPX_INLINE T __shfl_up(T value, unsigned delta, int width = warpSize,
                                  PLUMBLINE_HIPX_HERE) {
  const int me = static_cast<int>(::hipx::lane());
  const auto* slots = ::hipx::exchange({file, line}, ::hipx::kShuffleUp, value);
  const int step = static_cast<int>(delta);
  const bool inside = (me & (width - 1)) >= step;
  return ::hipx::from_bits<T>(::hipx::slot_get(slots, inside ? me - step : me));
}
PLUMBLINE_HIPX_INLINE unsigned long long __ballot(int predicate, PLUMBLINE_HIPX_HERE) {
  ::hipx::WarpCall call{{file, line}, ::hipx::kBallot, predicate != 0, false, nullptr};
  ::hipx::warp_meet(call);
  std::uint64_t result = 0;
  for (std::uint64_t left = call.mask; left; left &= left - 1) {
    const int lane = __builtin_ctzll(left);
    result |= (::hipx::slot_get(call.slots, lane) & 1) << lane;
  }
  return result;
}
PLUMBLINE_HIPX_INLINE int __any(int predicate, PLUMBLINE_HIPX_HERE) {
  return __ballot(predicate, file, line) != 0;
}
PLUMBLINE_HIPX_INLINE int __all(int predicate, PLUMBLINE_HIPX_HERE) {
  return __ballot(!predicate, file, line) == 0;
}
inline int __popcll(unsigned long long value) { return __builtin_popcountll(value); }
inline int __popc(unsigned value) { return __builtin_popcount(value); }
inline int __ffsll(unsigned long long value) {
  return __builtin_ffsll(static_cast<long long>(value));
}
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
