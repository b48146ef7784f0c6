#include <hip/hip_runtime.h>

#include <string_view>

#include "device/abi/call_bench.h"
#include "device/abi/implementation.h"
#include "device/kernels/gemm_bench.h"
#if defined(PLUMBLINE_TARGET_HOST)
#include "device/hip/host/barrier_bench.h"
#endif

namespace plumbline {

double embedded_bench(const char* name) {
  constexpr int kSize = 512;
  const std::string_view which(name);
  if (which == "gemm512_seconds") return device::seconds_of_gemm(kSize, kSize, kSize);
  if (which == "refuses_microseconds") return refuses_microseconds(*make_embedded({}));
#if defined(PLUMBLINE_TARGET_HOST)
  constexpr unsigned kThreads = 256;
  if (which == "barrier_nanoseconds") return hipx::barrier_nanoseconds(kThreads);
#endif
  return -1;
}

}  // namespace plumbline
