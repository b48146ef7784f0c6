#pragma once
#include <cstdint>

#include "device/kernels/number.h"
#include "device/kernels/portable.h"

namespace plumbline::device {

/// N elements as a vector of floats.
template <int N, class T>
__device__ inline hx::vecf<N> load_vector(const T* from) {
  float values[N];
  PLUMBLINE_UNROLL for (int c = 0; c < N; ++c) values[c] = to_float(from[c]);
  return hx::vecf<N>::load(values);
}

template <int N>
__device__ inline hx::vecf<N> load_vector(const float* from) {
  return hx::vecf<N>::load(from);
}

#if defined(PLUMBLINE_TARGET_HOST)
/// Widens 16 bits in one step; the loop above ends in a store that is read back in other pieces.
template <>
inline hx::vecf<16> load_vector<16, Bf16>(const Bf16* from) {
  typedef std::uint16_t Narrow __attribute__((vector_size(32)));
  typedef std::uint32_t Wide __attribute__((vector_size(64)));
  Narrow narrow;
  __builtin_memcpy(&narrow, from, sizeof(narrow));
  const Wide wide = __builtin_convertvector(narrow, Wide) << 16;
  hx::vecf<16> result;
  __builtin_memcpy(&result.v, &wide, sizeof(wide));
  return result;
}

/// As above for 8 bits.
template <>
inline hx::vecf<16> load_vector<16, I8>(const I8* from) {
  typedef std::int8_t Narrow __attribute__((vector_size(16)));
  typedef float Wide __attribute__((vector_size(64)));
  Narrow narrow;
  __builtin_memcpy(&narrow, from, sizeof(narrow));
  const Wide wide = __builtin_convertvector(narrow, Wide);
  hx::vecf<16> result;
  __builtin_memcpy(&result.v, &wide, sizeof(wide));
  return result;
}
#endif

/// The first `count` of N elements (one at least is there), 0 for the others. No branches: they
/// would keep the values out of GPU registers.
template <int N, class T>
__device__ inline hx::vecf<N> load_vector(const T* from, std::int32_t count) {
  if (count >= N) return load_vector<N>(from);
  float values[N];
  PLUMBLINE_UNROLL for (int c = 0; c < N; ++c) {
    const float value = to_float(from[c < count ? c : 0]);
    values[c] = c < count ? value : 0.0F;
  }
  return hx::vecf<N>::load(values);
}

}  // namespace plumbline::device
