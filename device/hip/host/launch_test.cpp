#include <chrono>
#include <cmath>
#include <thread>

#include "device/hip/host/barrier_bench.h"
#include "device/hip/host/test_support.h"

namespace hipx::testing {
namespace {

__global__ void fill(float* p) { p[threadIdx.x] = static_cast<float>(threadIdx.x); }
__global__ void write_coordinates(std::uint32_t* p) {
  const std::uint32_t block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const std::uint32_t thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  p[block * blockDim.x * blockDim.y * blockDim.z + thread] += block * 1000 + thread;
}
__global__ void reverse_by_shared(float* p) {
  PLUMBLINE_SHARED(float, s, [64]);
  s[threadIdx.x] = p[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  p[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void read_static_shared(float* p, int write) {
  PLUMBLINE_SHARED(float, s, [2][64]);
  const float before = s[1][threadIdx.x];
  if (write != 0) s[1][threadIdx.x] = 5.0f;
  p[blockIdx.x * 64 + threadIdx.x] = before;
}
__global__ void read_dynamic_shared(float* p) {
  PLUMBLINE_DYNAMIC_SHARED(float, s);
  p[threadIdx.x] = s[threadIdx.x];
  s[threadIdx.x] = 3.0f;
}
__global__ void append(int* order, int* count) {
  order[atomicAdd(count, 1)] = static_cast<int>(threadIdx.x);
}

class LaunchTest : public DeviceTest {
 protected:
  static std::vector<int> order_of_turns() {
    const Device<int> order(256, -1), count(1, 0);
    hipLaunchKernelGGL(append, dim3(1), dim3(256), 0, nullptr, order.get(), count.get());
    return order.read();
  }
};

TEST_F(LaunchTest, EveryThreadOfEveryBlockRunsOnceWithItsCoordinates) {
  const Device<std::uint32_t> p(2 * 3 * 4 * 60, 0);
  hipLaunchKernelGGL(write_coordinates, dim3(2, 3, 4), dim3(5, 4, 3), 0, nullptr, p.get());
  ASSERT_EQ(hipGetLastError(), hipSuccess);
  const auto got = p.read();
  for (std::uint32_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], i / 60 * 1000 + i % 60);
}
TEST_F(LaunchTest, NoSyncAndPoolThreadsGiveTheSame) {
  change([](Settings& s) { s.workers = 2; });
  const Device<std::uint32_t> p(2 * 3 * 4 * 60, 0);
  PLUMBLINE_LAUNCH_NO_SYNC(write_coordinates, dim3(2, 3, 4), dim3(5, 4, 3), 0, nullptr, p.get());
  ASSERT_EQ(hipGetLastError(), hipSuccess);
  EXPECT_EQ(p.read()[23 * 60 + 59], 23059u);
}
TEST_F(LaunchTest, ANoSyncKernelMayNotMeetABarrier) {
  const Device<float> p(64, 0.0f);
  PLUMBLINE_LAUNCH_NO_SYNC(reverse_by_shared, dim3(1), dim3(64), 0, nullptr, p.get());
  EXPECT_EQ(hipGetLastError(), hipErrorLaunchFailure);
  EXPECT_TRUE(reported("launched as no-sync, but calls __syncthreads"));
}
TEST_F(LaunchTest, ABlockOf1025ThreadsIsRefused) {
  const Device<float> p(64);
  hipLaunchKernelGGL(fill, dim3(1), dim3(1025), 0, nullptr, p.get());
  EXPECT_EQ(hipGetLastError(), hipErrorInvalidConfiguration);
  EXPECT_TRUE(reported("invalid launch of fill: grid (1,1,1), block (1025,1,1)"));
}
TEST_F(LaunchTest, ABlockWhoseProductOverflowsIsRefused) {
  const Device<float> p(64);
  hipLaunchKernelGGL(fill, dim3(1), dim3(65536, 65536, 1), 0, nullptr, p.get());
  EXPECT_EQ(hipGetLastError(), hipErrorInvalidConfiguration);
}
TEST_F(LaunchTest, AnEmptyGridIsRefused) {
  const Device<float> p(64);
  hipLaunchKernelGGL(fill, dim3(0), dim3(64), 0, nullptr, p.get());
  EXPECT_EQ(hipGetLastError(), hipErrorInvalidConfiguration);
}
TEST_F(LaunchTest, MoreThan64KiBOfSharedMemoryAreRefused) {
  const Device<float> p(64);
  hipLaunchKernelGGL(fill, dim3(1), dim3(64), 65537, nullptr, p.get());
  EXPECT_EQ(hipGetLastError(), hipErrorInvalidConfiguration);
}
TEST_F(LaunchTest, ARefusedLaunchIsNotSticky) {
  const Device<float> p(64);
  hipLaunchKernelGGL(fill, dim3(0), dim3(64), 0, nullptr, p.get());
  hipLaunchKernelGGL(fill, dim3(1), dim3(64), 0, nullptr, p.get());
  EXPECT_EQ(p.read()[5], 5.0f);
}
TEST_F(LaunchTest, AHostPointerAsArgumentIsRefused) {
  float host[64] = {};
  hipLaunchKernelGGL(fill, dim3(1), dim3(64), 0, nullptr, host);
  EXPECT_EQ(hipGetLastError(), hipErrorInvalidDevicePointer);
  EXPECT_TRUE(reported("of kernel fill is not device memory"));
}

TEST_F(LaunchTest, StaticSharedMemoryIsNanAtTheStartOfEveryBlock) {
  const Device<float> p(3 * 64, 0.0f);
  hipLaunchKernelGGL(read_static_shared, dim3(3), dim3(64), 0, nullptr, p.get(), 1);
  for (const float value : p.read()) ASSERT_TRUE(std::isnan(value));
}
TEST_F(LaunchTest, StaticSharedMemoryKeepsItsValuesWithoutPoison) {
  change([](Settings& s) { s.poison = false; });
  const Device<float> p(3 * 64, 0.0f);
  hipLaunchKernelGGL(read_static_shared, dim3(3), dim3(64), 0, nullptr, p.get(), 1);
  EXPECT_EQ(p.read()[64], 5.0f);
}
TEST_F(LaunchTest, DynamicSharedMemoryIsNanAtTheStartOfEveryBlock) {
  const Device<float> p(64, 0.0f);
  hipLaunchKernelGGL(read_dynamic_shared, dim3(2), dim3(64), 256, nullptr, p.get());
  for (const float value : p.read()) ASSERT_TRUE(std::isnan(value));
}
TEST_F(LaunchTest, SharedMemoryCarriesValuesAcrossABarrier) {
  for (const Order order : {Order::kForward, Order::kReverse, Order::kRandom}) {
    change([&](Settings& s) { s.order = order; });
    const Device<float> p(64);
    hipLaunchKernelGGL(fill, dim3(1), dim3(64), 0, nullptr, p.get());
    hipLaunchKernelGGL(reverse_by_shared, dim3(1), dim3(64), 0, nullptr, p.get());
    const auto got = p.read();
    for (int i = 0; i < 64; ++i) ASSERT_EQ(got[static_cast<std::size_t>(i)], 63.0f - i);
  }
}

TEST_F(LaunchTest, ForwardOrderRunsTheLowestThreadFirst) {
  const auto turns = order_of_turns();
  for (int i = 0; i < 256; ++i) ASSERT_EQ(turns[static_cast<std::size_t>(i)], i);
}
TEST_F(LaunchTest, ReverseOrderRunsTheHighestThreadFirst) {
  change([](Settings& s) { s.order = Order::kReverse; });
  const auto turns = order_of_turns();
  for (int i = 0; i < 256; ++i) ASSERT_EQ(turns[static_cast<std::size_t>(i)], 255 - i);
}
TEST_F(LaunchTest, RandomOrderIsAPermutationThatItsSeedRepeats) {
  change([](Settings& s) { s.order = Order::kRandom, s.seed = 7; });
  const auto first = order_of_turns(), second = order_of_turns();
  EXPECT_EQ(first, second);
  change([](Settings& s) { s.seed = 8; });
  EXPECT_NE(order_of_turns(), first);
  auto sorted = first;
  std::sort(sorted.begin(), sorted.end());
  for (int i = 0; i < 256; ++i) ASSERT_EQ(sorted[static_cast<std::size_t>(i)], i);
}

TEST_F(LaunchTest, ALazyStreamShowsAMissingSynchronisation) {
  change([](Settings& s) { s.lazy_streams = true; });
  hipStream_t stream = nullptr;
  ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
  const Device<float> p(64, 0.0f);
  std::vector<float> got(64, -1.0f);
  hipLaunchKernelGGL(fill, dim3(1), dim3(64), 0, stream, p.get());
  ASSERT_EQ(hipMemcpyAsync(got.data(), p.get(), 256, hipMemcpyDeviceToHost, stream), hipSuccess);
  EXPECT_EQ(got[63], -1.0f);
  EXPECT_EQ(hipStreamQuery(stream), hipErrorNotReady);
  EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
  EXPECT_EQ(got[63], 63.0f);
  EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
}
TEST_F(LaunchTest, AStreamWaitsForAnEventOfAnother) {
  change([](Settings& s) { s.lazy_streams = true; });
  hipStream_t first = nullptr, second = nullptr;
  hipEvent_t event = nullptr;
  ASSERT_EQ(hipStreamCreate(&first), hipSuccess);
  ASSERT_EQ(hipStreamCreate(&second), hipSuccess);
  ASSERT_EQ(hipEventCreate(&event), hipSuccess);
  const Device<float> p(64);
  hipLaunchKernelGGL(fill, dim3(1), dim3(64), 0, first, p.get());
  ASSERT_EQ(hipEventRecord(event, first), hipSuccess);
  ASSERT_EQ(hipStreamWaitEvent(second, event), hipSuccess);
  hipLaunchKernelGGL(reverse_by_shared, dim3(1), dim3(64), 0, second, p.get());
  ASSERT_EQ(hipStreamSynchronize(second), hipSuccess);
  EXPECT_EQ(p.read()[0], 63.0f);
  EXPECT_EQ(hipEventDestroy(event), hipSuccess);
  EXPECT_EQ(hipStreamDestroy(first), hipSuccess);
  EXPECT_EQ(hipStreamDestroy(second), hipSuccess);
}

TEST_F(LaunchTest, SettingsAndErrorsBelongToOneHostThread) {
  change([](Settings& s) { s.seed = 99; });
  const Device<float> p(64);
  hipLaunchKernelGGL(fill, dim3(0), dim3(64), 0, nullptr, p.get());
  std::uint64_t seed = 0;
  hipError_t error = hipErrorUnknown;
  std::thread([&] {
    seed = settings().seed;
    error = hipGetLastError();
  }).join();
  EXPECT_NE(seed, 99u);
  EXPECT_EQ(error, hipSuccess);
  EXPECT_EQ(hipGetLastError(), hipErrorInvalidConfiguration);
}
TEST_F(LaunchTest, SeveralHostThreadsLaunchAtOnce) {
  if (kSingleWorker) GTEST_SKIP() << "one thread at a time under sanitizers";
  const auto work = [] {
    for (int i = 0; i < 200; ++i) {
      const Device<float> p(64);
      hipLaunchKernelGGL(fill, dim3(1), dim3(64), 0, nullptr, p.get());
      hipLaunchKernelGGL(reverse_by_shared, dim3(1), dim3(64), 0, nullptr, p.get());
      ASSERT_EQ(p.read()[0], 63.0f);
    }
  };
  std::thread first(work), second(work), third(work);
  first.join();
  second.join();
  third.join();
}
TEST_F(LaunchTest, ABarrierIsMeasured) {
  if (kSingleWorker) GTEST_SKIP() << "sanitizers measure themselves";
  const double nanoseconds = barrier_nanoseconds(256);
  EXPECT_GT(nanoseconds, 0.0);
  RecordProperty("barrier_ns_per_thread", std::to_string(nanoseconds));
}

}  // namespace
}  // namespace hipx::testing
