#pragma once
// The sanitizers' runtime functions that the fibers and the device memory need. The runtime's own
// files are compiled without TSan's instrumentation; PLUMBLINE_HIPX_TSAN comes from the build.
#include "device/hip/host/include/hipx/language.h"

#if defined(PLUMBLINE_HIPX_ASAN)
extern "C" {
void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom, size_t size);
void __sanitizer_finish_switch_fiber(void* fake_stack, const void** bottom, size_t* size);
void __asan_poison_memory_region(void const volatile* begin, size_t bytes);
void __asan_unpoison_memory_region(void const volatile* begin, size_t bytes);
}
#endif
#if defined(PLUMBLINE_HIPX_TSAN)
extern "C" {
void* __tsan_get_current_fiber(void);
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
void __tsan_acquire(void* address);
void __tsan_release(void* address);
}
#endif
