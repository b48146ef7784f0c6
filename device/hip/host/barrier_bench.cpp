#include "device/hip/host/barrier_bench.h"

#include <algorithm>
#include <ctime>
#include <limits>

#include "device/hip/host/include/hip/hip_runtime.h"

namespace hipx {
namespace {

constexpr int kRuns = 9;

__global__ void meet(int rounds) {
  for (int i = 0; i < rounds; ++i) __syncthreads();
}
__global__ void nothing(int) {}

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}
template <class Work>
double best_seconds(Work work) {
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < kRuns; ++run) {
    const double start = thread_seconds();
    work();
    best = std::min(best, thread_seconds() - start);
  }
  return best;
}

}  // namespace

double barrier_nanoseconds(unsigned threads) {
  const int rounds = static_cast<int>(200000 / std::max(threads, 1u));
  const double seconds =
      best_seconds([&] { hipLaunchKernelGGL(meet, dim3(1), dim3(threads), 0, nullptr, rounds); });
  return seconds * 1e9 / rounds / threads;
}

double launch_nanoseconds(unsigned threads) {
  constexpr int kLaunches = 500;
  const double seconds = best_seconds([&] {
    for (int i = 0; i < kLaunches; ++i)
      hipLaunchKernelGGL(nothing, dim3(1), dim3(threads), 0, nullptr, i);
  });
  return seconds * 1e9 / kLaunches;
}

}  // namespace hipx
