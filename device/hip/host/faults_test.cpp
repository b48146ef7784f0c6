#include <atomic>
#include <cmath>
#include <csignal>

#include "device/hip/host/test_support.h"
#include "device/hip/host/worker.h"

namespace hipx::testing {
namespace {

__global__ void write_one_too_many(float* p, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i <= n) p[i] = 1.0f;
}
__global__ void read_before(const int* in, int* out) { out[threadIdx.x] = in[-1]; }
__global__ void write_slack(unsigned char* p, int at) { p[at] = 7; }
__global__ void read_dynamic(float* p, int at) {
  PLUMBLINE_DYNAMIC_SHARED(float, s);
  s[threadIdx.x] = 1.0f;
  __syncthreads();
  p[threadIdx.x] = s[threadIdx.x == 40 ? at : static_cast<int>(threadIdx.x)];
}
__global__ void leave_early(float* p) {
  if (threadIdx.x == 17) return;
  __syncthreads();
  p[threadIdx.x] = 1.0f;
}
__global__ void two_barriers(float* p) {
  if (threadIdx.x < 32) {
    __syncthreads();
    p[0] = 1.0f;
  } else {
    p[1] = 1.0f;
    __syncthreads();
  }
}
__global__ void half_a_wave_shuffles(float* p) {
  float v = static_cast<float>(threadIdx.x);
  if (threadIdx.x % 2 == 1) v = __shfl_xor(v, 1);
  __syncthreads();
  p[threadIdx.x] = v;
}
__global__ void spin(int* flag) {
  if (threadIdx.x != 3) return;
  while (std::atomic_ref<int>(*flag).load(std::memory_order_relaxed) == 0) {
  }
}
__global__ void divide(int* p, int by) {
  p[threadIdx.x] = 1000 / (by - static_cast<int>(threadIdx.x));
}
__global__ void recurse(float* p, int depth) {
  volatile float big[512];
  big[depth % 512] = p[0];
  if (depth > 0) recurse(p, depth - 1);
  p[0] = big[depth % 512];
}
__global__ void fill(float* p) { p[threadIdx.x] = static_cast<float>(threadIdx.x); }

class Faults : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (!kRecovers) GTEST_SKIP() << "the sanitizer ends the process at the fault";
  }
  static void expect_healthy() {
    reset();
    const Device<float> after(64);
    hipLaunchKernelGGL(fill, dim3(1), dim3(64), 0, nullptr, after.get());
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    EXPECT_EQ(after.read()[63], 63.0f);
  }
};
class Divergence : public DeviceTest {};

TEST_F(Faults, AWriteBehindABufferNamesKernelBlockAndThread) {
  const Device<float> p(128);
  hipLaunchKernelGGL(write_one_too_many, dim3(3), dim3(64), 0, nullptr, p.get(), 128);
  EXPECT_EQ(hipGetLastError(), hipErrorIllegalAddress);
  EXPECT_TRUE(reported("0 bytes behind a buffer of 512 bytes"));
  EXPECT_TRUE(
      reported("in kernel write_one_too_many, block (2,0,0) of grid (3,1,1), thread (0,0,0) "
               "of block (64,1,1), warpSize 64"));
}
TEST_F(Faults, TheProcessRunsTheNextKernelAfterAReset) {
  const Device<float> p(64);
  hipLaunchKernelGGL(write_one_too_many, dim3(2), dim3(64), 0, nullptr, p.get(), 64);
  ASSERT_EQ(hipGetLastError(), hipErrorIllegalAddress);
  expect_healthy();
}
TEST_F(Faults, TheErrorStaysUntilAReset) {
  const Device<float> p(64);
  hipLaunchKernelGGL(write_one_too_many, dim3(2), dim3(64), 0, nullptr, p.get(), 64);
  ASSERT_EQ(hipGetLastError(), hipErrorIllegalAddress);
  hipLaunchKernelGGL(fill, dim3(1), dim3(64), 0, nullptr, p.get());
  EXPECT_EQ(hipGetLastError(), hipErrorIllegalAddress);
  EXPECT_EQ(hipDeviceSynchronize(), hipErrorIllegalAddress);
  EXPECT_EQ(hipDeviceReset(), hipSuccess);
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(last_report(), "");
}
TEST_F(Faults, AReadBeforeABufferFaultsWhereTheGuardIsInFront) {
  change([](Settings& s) { s.guard = Guard::kStart; });
  const Device<int> in(5, 1), out(5);
  hipLaunchKernelGGL(read_before, dim3(1), dim3(5), 0, nullptr, in.get(), out.get());
  EXPECT_EQ(hipGetLastError(), hipErrorIllegalAddress);
  EXPECT_TRUE(reported("4 bytes before a buffer of 20 bytes"));
}
TEST_F(Faults, AFaultWithoutSynchronisationNamesTheThreadToo) {
  const Device<float> p(64);
  PLUMBLINE_LAUNCH_NO_SYNC(write_one_too_many, dim3(1), dim3(128), 0, nullptr, p.get(), 100);
  EXPECT_EQ(hipGetLastError(), hipErrorIllegalAddress);
  EXPECT_TRUE(reported("thread (64,0,0)"));
  expect_healthy();
}
TEST_F(Faults, AFaultOnAPoolThreadReachesTheLaunchingThread) {
  change([](Settings& s) { s.workers = 2; });
  const Device<float> p(64 * 100);
  hipLaunchKernelGGL(write_one_too_many, dim3(101), dim3(64), 0, nullptr, p.get(), 64 * 100);
  EXPECT_EQ(hipGetLastError(), hipErrorIllegalAddress);
  EXPECT_TRUE(reported("block (100,0,0)"));
  expect_healthy();
}
TEST_F(Faults, DynamicSharedMemoryEndsAtAnUnmappedPage) {
  const Device<float> p(64);
  hipLaunchKernelGGL(read_dynamic, dim3(1), dim3(64), 64 * sizeof(float), nullptr, p.get(), 64);
  EXPECT_EQ(hipGetLastError(), hipErrorIllegalAddress);
  EXPECT_TRUE(reported("outside the dynamic shared memory of 256 bytes"));
  EXPECT_TRUE(reported("thread (40,0,0)"));
  expect_healthy();
}
TEST_F(Faults, AStackOverflowIsNamed) {
  const Device<float> p(1, 0.0f);
  hipLaunchKernelGGL(recurse, dim3(1), dim3(1), 0, nullptr, p.get(), 1000);
  EXPECT_EQ(hipGetLastError(), hipErrorIllegalAddress);
  EXPECT_TRUE(reported("stack has overflowed"));
  expect_healthy();
}
TEST_F(Faults, AnIntegerDivisionByZeroNamesItsThread) {
  const Device<int> p(64);
  hipLaunchKernelGGL(divide, dim3(1), dim3(64), 0, nullptr, p.get(), 9);
  EXPECT_EQ(hipGetLastError(), hipErrorIllegalAddress);
  EXPECT_TRUE(reported("thread (9,0,0)"));
}
TEST_F(Faults, TheWatchdogEndsASpinAndNamesItsThread) {
  change([](Settings& s) { s.watchdog_seconds = 0.1; });
  const Device<int> flag(1, 0);
  hipLaunchKernelGGL(spin, dim3(1), dim3(64), 0, nullptr, flag.get());
  EXPECT_EQ(hipGetLastError(), hipErrorLaunchTimeOut);
  EXPECT_TRUE(reported("watchdog"));
  EXPECT_TRUE(reported("in kernel spin, block (0,0,0) of grid (1,1,1), thread (3,0,0)"));
  expect_healthy();
}
TEST_F(Faults, AWriteIntoTheSlackIsFoundByCheckAndByFree) {
  unsigned char* p = nullptr;
  ASSERT_EQ(hipMalloc(&p, 30), hipSuccess);
  hipLaunchKernelGGL(write_slack, dim3(1), dim3(1), 0, nullptr, p, 31);
  EXPECT_EQ(hipGetLastError(), hipSuccess);
  ASSERT_TRUE(check().has_value());
  EXPECT_NE(check()->find("byte 31 of a buffer of 30 bytes"), std::string::npos) << *check();
  EXPECT_EQ(hipFree(p), hipErrorIllegalAddress);
  EXPECT_TRUE(reported("the last kernel was write_slack"));
}
TEST_F(Faults, AWriteBeforeABufferIsFoundByFree) {
  unsigned char* p = nullptr;
  ASSERT_EQ(hipMalloc(&p, 32), hipSuccess);
  hipLaunchKernelGGL(write_slack, dim3(1), dim3(1), 0, nullptr, p, -5);
  EXPECT_EQ(hipFree(p), hipErrorIllegalAddress);
  EXPECT_TRUE(reported("5 bytes before a buffer of 32 bytes"));
}
TEST_F(Faults, AFreedBufferIsNoLongerAccessible) {
  const Device<int> out(1);
  int* gone = nullptr;
  ASSERT_EQ(hipMalloc(&gone, 4), hipSuccess);
  ASSERT_EQ(hipFree(gone), hipSuccess);
  hipLaunchKernelGGL(read_before, dim3(1), dim3(1), 0, nullptr, out.get(), gone);
  EXPECT_EQ(hipGetLastError(), hipErrorInvalidDevicePointer);
}
TEST_F(Faults, AHostFaultStillEndsTheProcess) {
  expect_healthy();  // the runtime's handlers are installed from here on
  int* volatile nowhere = nullptr;
  EXPECT_EXIT(*nowhere = 1, ::testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(std::raise(SIGSEGV), ::testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(Divergence, ABarrierThatAThreadDoesNotReachIsNamed) {
  const Device<float> p(64);
  hipLaunchKernelGGL(leave_early, dim3(1), dim3(64), 0, nullptr, p.get());
  EXPECT_EQ(hipGetLastError(), hipErrorLaunchFailure);
  EXPECT_TRUE(reported("63 of 64 threads wait in __syncthreads"));
  EXPECT_TRUE(reported("in kernel leave_early, block (0,0,0) of grid (1,1,1), thread (17,0,0)"));
}
TEST_F(Divergence, IsAllowedWhereTheSettingsAreNotStrict) {
  change([](Settings& s) { s.strict = false; });
  const Device<float> p(64);
  hipLaunchKernelGGL(leave_early, dim3(1), dim3(64), 0, nullptr, p.get());
  EXPECT_EQ(hipGetLastError(), hipSuccess);
  EXPECT_TRUE(std::isnan(p.read()[17]));
  EXPECT_EQ(p.read()[18], 1.0f);
}
TEST_F(Divergence, TwoDifferentBarriersAreNamed) {
  const Device<float> p(64);
  hipLaunchKernelGGL(two_barriers, dim3(3), dim3(64), 0, nullptr, p.get());
  EXPECT_EQ(hipGetLastError(), hipErrorLaunchFailure);
  EXPECT_TRUE(reported("while thread (0,0,0) is at"));
  EXPECT_TRUE(reported("in kernel two_barriers, block (0,0,0) of grid (3,1,1), thread (32,0,0)"));
}
TEST_F(Divergence, AShuffleOfHalfAWaveIsNamed) {
  const Device<float> p(64);
  hipLaunchKernelGGL(half_a_wave_shuffles, dim3(1), dim3(64), 0, nullptr, p.get());
  EXPECT_EQ(hipGetLastError(), hipErrorLaunchFailure);
  EXPECT_TRUE(reported("lanes 0xaaaaaaaaaaaaaaaa wait in the warp operation"));
  EXPECT_TRUE(reported("lanes 0x5555555555555555 at a block barrier"));
}

}  // namespace
}  // namespace hipx::testing
