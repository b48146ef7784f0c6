// What the sanitizer builds find beyond the checks that are always on.
#include <csignal>
#include <cstdlib>

#include "device/hip/host/test_support.h"

#if defined(PLUMBLINE_HIPX_ASAN) || defined(PLUMBLINE_HIPX_TSAN)

namespace hipx::testing {
namespace {

class Sanitizer : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // a fresh process: no fork beside threads
    change([](Settings& s) { s.print = true; });
  }
};

#if defined(PLUMBLINE_HIPX_ASAN)

__global__ void write_one_too_many(float* p, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i <= n) p[i] = 1.0f;
}
__global__ void read_static_shared(float* p, int at) {
  PLUMBLINE_SHARED(float, s, [64]);
  s[threadIdx.x] = 1.0f;
  __syncthreads();
  const float* first = s;
  p[threadIdx.x] = first[static_cast<int>(threadIdx.x) + at];
}
__global__ void read_dynamic_shared(float* p, int at) {
  PLUMBLINE_DYNAMIC_SHARED(float, s);
  s[threadIdx.x] = 1.0f;
  __syncthreads();
  p[threadIdx.x] = s[threadIdx.x == 40 ? at : 0];
}
__global__ void shift(int* p, int by) {
  p[threadIdx.x] = 1 << (by + static_cast<int>(threadIdx.x));
}
__global__ void spin(volatile int* flag) {
  while (*flag == 0) {
  }
}

TEST_F(Sanitizer, AWriteBehindABufferNamesItsThread) {
  const Device<float> p(127);
  EXPECT_DEATH(hipLaunchKernelGGL(write_one_too_many, dim3(2), dim3(64), 0, nullptr, p.get(), 127),
               "in kernel write_one_too_many, block .1,0,0. of grid .2,1,1., thread .63,0,0.");
}
TEST_F(Sanitizer, AReadBehindAStaticSharedArrayNamesItsThread) {
  const Device<float> p(64);
  EXPECT_DEATH(hipLaunchKernelGGL(read_static_shared, dim3(1), dim3(64), 0, nullptr, p.get(), 1),
               "in kernel read_static_shared, block .0,0,0. of grid .1,1,1., thread .63,0,0.");
}
TEST_F(Sanitizer, AReadBehindDynamicSharedMemoryNamesItsThread) {
  const Device<float> p(64);
  EXPECT_DEATH(
      hipLaunchKernelGGL(read_dynamic_shared, dim3(1), dim3(64), 256, nullptr, p.get(), 64),
      "in kernel read_dynamic_shared, block .0,0,0. of grid .1,1,1., thread .40,0,0.");
}
TEST_F(Sanitizer, AnUndefinedShiftNamesItsThread) {
  const Device<int> p(64);
  EXPECT_DEATH(hipLaunchKernelGGL(shift, dim3(1), dim3(64), 0, nullptr, p.get(), 0),
               "in kernel shift, block .0,0,0. of grid .1,1,1., thread .32,0,0.");
}
TEST_F(Sanitizer, HostCodeMayNotReadDeviceMemory) {
  const Device<int> p(4, 1);
  EXPECT_DEATH(std::exit(p.get()[1]), "use-after-poison");
}
TEST_F(Sanitizer, TheWatchdogEndsTheProcessAndNamesTheKernel) {
  change([](Settings& s) { s.watchdog_seconds = 0.2; });
  const Device<int> p(1, 0);
  EXPECT_DEATH(hipLaunchKernelGGL(spin, dim3(1), dim3(64), 0, nullptr, p.get()),
               "in kernel spin, block .0,0,0.");
}

#else

__global__ void reverse(float* p, int with_barrier) {
  PLUMBLINE_SHARED(float, s, [64]);
  s[threadIdx.x] = 1.0f;
  if (with_barrier != 0) __syncthreads();
  p[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void share_elements(float* p) { p[(blockIdx.x * blockDim.x + threadIdx.x) / 2] += 1.0f; }

constexpr int kRaceFound = 66;  // TSan's exit code

TEST_F(Sanitizer, ASharedMemoryRaceNamesItsThread) {
  const Device<float> p(64);
  EXPECT_EXIT(
      {
        hipLaunchKernelGGL(reverse, dim3(1), dim3(64), 0, nullptr, p.get(), 0);
        std::exit(0);
      },
      ::testing::ExitedWithCode(kRaceFound), "in kernel reverse, block .0,0,0.");
}
TEST_F(Sanitizer, ABarrierEndsTheRace) {
  const Device<float> p(64);
  EXPECT_EXIT(
      {
        hipLaunchKernelGGL(reverse, dim3(3), dim3(64), 0, nullptr, p.get(), 1);
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}
TEST_F(Sanitizer, AGlobalRaceNamesItsThread) {
  const Device<float> p(64, 0.0f);
  EXPECT_EXIT(
      {
        hipLaunchKernelGGL(share_elements, dim3(2), dim3(64), 0, nullptr, p.get());
        std::exit(0);
      },
      ::testing::ExitedWithCode(kRaceFound), "in kernel share_elements");
}

#endif

}  // namespace
}  // namespace hipx::testing

#endif
