#include <bit>
#include <cmath>
#include <cstdint>

#include "device/hip/host/test_support.h"

namespace hipx::testing {
namespace {

enum Kind { kRotate, kXor, kDown, kUp, kBroadcastHalf };

__global__ void shuffle(int* p, int kind) {
  const int v = static_cast<int>(threadIdx.x);
  int r = 0;
  switch (kind) {
    case kRotate:
      r = __shfl(v, v + 1);
      break;
    case kXor:
      r = __shfl_xor(v, 5);
      break;
    case kDown:
      r = __shfl_down(v, 3);
      break;
    case kUp:
      r = __shfl_up(v, 3);
      break;
    default:
      r = __shfl(v, 2, warpSize / 2);
  }
  p[threadIdx.x] = r;
}
__global__ void vote(unsigned long long* p) {
  const int odd = threadIdx.x % 2 == 1;
  const unsigned long long ballot = __ballot(odd);
  const int any = __any(threadIdx.x == 70), all = __all(threadIdx.x < 64);
  p[threadIdx.x] = ballot;
  if (__lane_id() == 0)
    p[threadIdx.x] = any == 0 ? static_cast<unsigned long long>(all)
                              : 2ull + static_cast<unsigned long long>(all);
}
template <int W>
__global__ void sum_both_ways(const float* in, float* out) {
  const float v = in[threadIdx.x];
  out[threadIdx.x] = hx::warp_sum<W>(v);
  out[blockDim.x + threadIdx.x] = hx::warp_sum_by_shuffles<W>(v);
  out[2 * blockDim.x + threadIdx.x] = hx::warp_max<W>(v);
  out[3 * blockDim.x + threadIdx.x] = hx::warp_max_by_shuffles<W>(v);
}
__global__ void pass_by_syncwarp(int* out) {
  PLUMBLINE_SHARED(int, s, [128]);
  s[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncwarp();
  out[threadIdx.x] = s[threadIdx.x ^ 1u];
}
__global__ void count(int* total, float* sum) {
  atomicAdd(total, 1);
  atomicAdd(sum, 0.5f);
}
__global__ void vector_arithmetic(const float* in, float* out) {
  auto v = hx::vecf<8>::load(in);
  v.fma(2.0f, hx::vecf<8>::splat(1.0f));
  v.store(out);
  out[8] = v.sum();
  out[9] = v.at(3);
}

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

// The wave of device 0 and of device 1.
class WarpTest : public DeviceTest, public ::testing::WithParamInterface<int> {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_EQ(hipSetDevice(GetParam() == 64 ? 0 : 1), hipSuccess);
  }
  static std::vector<int> shuffled(Kind kind) {
    const Device<int> p(128);
    hipLaunchKernelGGL(shuffle, dim3(1), dim3(128), 0, nullptr, p.get(), static_cast<int>(kind));
    EXPECT_EQ(hipGetLastError(), hipSuccess);
    return p.read();
  }
  static int wave() { return GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Wave, WarpTest, ::testing::Values(64, 32));

TEST_P(WarpTest, ThePropertiesTellTheWave) {
  hipDeviceProp_t properties;
  ASSERT_EQ(hipGetDeviceProperties(&properties, wave() == 64 ? 0 : 1), hipSuccess);
  EXPECT_EQ(properties.warpSize, wave());
}
TEST_P(WarpTest, ShuffleReadsTheLaneModuloTheWave) {
  const auto got = shuffled(kRotate);
  for (int i = 0; i < 128; ++i)
    ASSERT_EQ(got[static_cast<std::size_t>(i)], i / wave() * wave() + (i + 1) % wave());
}
TEST_P(WarpTest, ShuffleXorReadsThePartner) {
  const auto got = shuffled(kXor);
  for (int i = 0; i < 128; ++i) ASSERT_EQ(got[static_cast<std::size_t>(i)], i ^ 5);
}
TEST_P(WarpTest, ShuffleDownStopsAtTheEndOfTheWave) {
  const auto got = shuffled(kDown);
  for (int i = 0; i < 128; ++i)
    ASSERT_EQ(got[static_cast<std::size_t>(i)], i % wave() + 3 < wave() ? i + 3 : i);
}
TEST_P(WarpTest, ShuffleUpStopsAtTheStartOfTheWave) {
  const auto got = shuffled(kUp);
  for (int i = 0; i < 128; ++i)
    ASSERT_EQ(got[static_cast<std::size_t>(i)], i % wave() >= 3 ? i - 3 : i);
}
TEST_P(WarpTest, ShuffleStaysInsideItsWidth) {
  const auto got = shuffled(kBroadcastHalf);
  const int width = wave() / 2;
  for (int i = 0; i < 128; ++i) ASSERT_EQ(got[static_cast<std::size_t>(i)], i / width * width + 2);
}
TEST_P(WarpTest, VotesSeeTheirWaveOnly) {
  const Device<unsigned long long> p(128);
  hipLaunchKernelGGL(vote, dim3(1), dim3(128), 0, nullptr, p.get());
  const auto got = p.read();
  EXPECT_EQ(got[1], wave() == 64 ? 0xaaaaaaaaaaaaaaaaull : 0xaaaaaaaaull);
  EXPECT_EQ(got[0], 1u);
  EXPECT_EQ(got[64], 2u);
  EXPECT_EQ(got[96], wave() == 64 ? 0xaaaaaaaaaaaaaaaaull : 0u);
}
TEST_P(WarpTest, SumAndMaximumAreTheShufflesBitForBit) {
  std::vector<float> values(128);
  std::uint32_t state = 12345;
  for (float& value : values) {
    state = state * 1664525u + 1013904223u;
    value =
        std::ldexp(static_cast<float>(state >> 8) - 8388608.0f, static_cast<int>(state % 24) - 40);
  }
  for (const Order order : {Order::kForward, Order::kReverse, Order::kRandom}) {
    change([&](Settings& s) { s.order = order; });
    const Device<float> in(128), out(4 * 128);
    ASSERT_EQ(hipMemcpy(in.get(), values.data(), 512, hipMemcpyHostToDevice), hipSuccess);
    if (wave() == 64)
      hipLaunchKernelGGL(sum_both_ways<64>, dim3(1), dim3(128), 0, nullptr, in.get(), out.get());
    else
      hipLaunchKernelGGL(sum_both_ways<32>, dim3(1), dim3(128), 0, nullptr, in.get(), out.get());
    const auto got = out.read();
    for (std::size_t i = 0; i < 128; ++i) {
      ASSERT_EQ(bits(got[i]), bits(got[128 + i]));
      ASSERT_EQ(bits(got[256 + i]), bits(got[384 + i]));
    }
    EXPECT_NE(got[0], got[127]);
  }
}
TEST_P(WarpTest, SyncwarpOrdersSharedMemory) {
  for (const Order order : {Order::kForward, Order::kReverse, Order::kRandom}) {
    change([&](Settings& s) { s.order = order; });
    const Device<int> p(128);
    hipLaunchKernelGGL(pass_by_syncwarp, dim3(1), dim3(128), 0, nullptr, p.get());
    const auto got = p.read();
    for (int i = 0; i < 128; ++i) ASSERT_EQ(got[static_cast<std::size_t>(i)], i ^ 1);
  }
}
TEST_P(WarpTest, AtomicsCountEveryThread) {
  change([](Settings& s) { s.workers = 2; });
  const Device<int> total(1, 0);
  const Device<float> sum(1, 0.0f);
  hipLaunchKernelGGL(count, dim3(50), dim3(128), 0, nullptr, total.get(), sum.get());
  EXPECT_EQ(total.read()[0], 6400);
  EXPECT_EQ(sum.read()[0], 3200.0f);
}
TEST_P(WarpTest, AVectorIsItsElements) {
  const Device<float> in(8, 3.0f), out(10);
  hipLaunchKernelGGL(vector_arithmetic, dim3(1), dim3(1), 0, nullptr, in.get(), out.get());
  EXPECT_EQ(out.read()[8], 40.0f);
  EXPECT_EQ(out.read()[9], 5.0f);
}

}  // namespace
}  // namespace hipx::testing
