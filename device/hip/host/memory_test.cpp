#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <thread>

#include "device/hip/host/test_support.h"

namespace hipx::testing {
namespace {

class MemoryTest : public DeviceTest {};

TEST_F(MemoryTest, FreshMemoryIsNan) {
  for (const Guard guard : {Guard::kEnd, Guard::kStart}) {
    change([&](Settings& s) { s.guard = guard; });
    for (int round = 0; round < 2; ++round) {  // the second time from the cache
      const Device<float> p(1000);
      for (const float value : p.read()) ASSERT_TRUE(std::isnan(value));
      ASSERT_EQ(hipMemset(p.get(), 0, 4000), hipSuccess);
    }
  }
}
TEST_F(MemoryTest, ABufferIsAlignedToSixteenBytes) {
  for (const Guard guard : {Guard::kEnd, Guard::kStart}) {
    change([&](Settings& s) { s.guard = guard; });
    for (std::size_t bytes = 1; bytes < 40; ++bytes) {
      const Device<unsigned char> p(bytes);
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(p.get()) % 16, 0u) << bytes;
    }
  }
}
TEST_F(MemoryTest, AnUntouchedBufferIsFreedWithoutComplaint) {
  for (const std::size_t bytes : {1u, 16u, 4095u, 4096u, 4097u, 70000u}) {
    void* p = nullptr;
    ASSERT_EQ(hipMalloc(&p, bytes), hipSuccess);
    ASSERT_EQ(hipMemset(p, 1, bytes), hipSuccess);
    EXPECT_EQ(check(), std::nullopt);
    EXPECT_EQ(hipFree(p), hipSuccess);
  }
}
TEST_F(MemoryTest, NothingIsAllocatedForZeroBytes) {
  void* p = &p;
  EXPECT_EQ(hipMalloc(&p, 0), hipSuccess);
  EXPECT_EQ(p, nullptr);
  EXPECT_EQ(hipFree(nullptr), hipSuccess);
}
TEST_F(MemoryTest, AnImpossibleSizeIsOutOfMemory) {
  void* p = nullptr;
  EXPECT_EQ(hipMalloc(&p, ~std::size_t{0}), hipErrorOutOfMemory);
  EXPECT_EQ(p, nullptr);
}
TEST_F(MemoryTest, AForeignPointerIsNotFreed) {
  int local = 0;
  EXPECT_EQ(hipFree(&local), hipErrorInvalidValue);
}
TEST_F(MemoryTest, ACopyInTheWrongDirectionIsRefused) {
  const Device<int> p(4, 1);
  int host[4] = {};
  EXPECT_EQ(hipMemcpy(p.get(), host, 16, hipMemcpyDeviceToHost), hipErrorInvalidMemcpyDirection);
  EXPECT_EQ(hipMemcpy(host, p.get(), 16, hipMemcpyHostToDevice), hipErrorInvalidMemcpyDirection);
}
TEST_F(MemoryTest, ACopyBeyondTheBufferIsRefused) {
  const Device<int> p(4, 1);
  int host[5] = {};
  EXPECT_EQ(hipMemcpy(host, p.get(), 20, hipMemcpyDeviceToHost), hipErrorInvalidValue);
  EXPECT_TRUE(reported("20 bytes reaches outside its buffer"));
  EXPECT_EQ(hipMemset(p.get() + 1, 0, 16), hipErrorInvalidValue);
}
TEST_F(MemoryTest, CheckLooksAtTheBuffersOfThisHostThread) {
  if (kSingleWorker) GTEST_SKIP() << "the sanitizer's red zones stand for the slack";
  change([](Settings& s) { s.guard = Guard::kStart; });
  unsigned char* p = nullptr;
  ASSERT_EQ(hipMalloc(&p, 10), hipSuccess);
  p[12] = 0;
  EXPECT_TRUE(check().has_value());
  std::thread([] { EXPECT_EQ(check(), std::nullopt); }).join();
  EXPECT_EQ(hipFree(p), hipErrorIllegalAddress);
}
TEST_F(MemoryTest, ErrorsHaveNames) {
  EXPECT_STREQ(hipGetErrorName(hipErrorIllegalAddress), "hipErrorIllegalAddress");
  EXPECT_STREQ(hipGetErrorName(static_cast<hipError_t>(12345)), "hipErrorUnknown");
}

}  // namespace
}  // namespace hipx::testing
