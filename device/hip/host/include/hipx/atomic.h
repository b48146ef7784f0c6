#pragma once
// Atomics, fences and the device mathematics that the C++ library does not name.
// The names are HIP's own.
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier)
#include <atomic>
#include <cmath>
#include <type_traits>

inline void __threadfence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
inline void __threadfence_block() { std::atomic_signal_fence(std::memory_order_seq_cst); }

template <class T>
inline T atomicAdd(T* target, std::type_identity_t<T> value) {
  return std::atomic_ref<T>(*target).fetch_add(value, std::memory_order_relaxed);
}
template <class T>
inline T atomicMax(T* target, std::type_identity_t<T> value) {
  std::atomic_ref<T> cell(*target);
  T old = cell.load(std::memory_order_relaxed);
  while (old < value && !cell.compare_exchange_weak(old, value, std::memory_order_relaxed)) {
  }
  return old;
}
template <class T>
inline T atomicCAS(T* target, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  std::atomic_ref<T>(*target).compare_exchange_strong(expected, value, std::memory_order_relaxed);
  return expected;
}
template <class T>
inline T atomicExch(T* target, std::type_identity_t<T> value) {
  return std::atomic_ref<T>(*target).exchange(value, std::memory_order_relaxed);
}
inline float __expf(float x) { return std::exp(x); }
inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
