#pragma once
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "device/hip/host/runtime.h"
#include "device/kernels/portable.h"

/// What the tests of the CPU device share.
namespace hipx::testing {

/// Every test starts without errors, with the given settings, and leaves the defaults.
class DeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    reset();
    Settings quiet;
    quiet.print = false;
    set_settings(quiet);
    ASSERT_EQ(hipSetDevice(0), hipSuccess);
  }
  void TearDown() override {
    reset();
    set_settings(default_settings());
    ASSERT_EQ(hipSetDevice(0), hipSuccess);
  }
  template <class Change>
  static void change(Change change_settings) {
    Settings changed = settings();
    change_settings(changed);
    set_settings(changed);
  }
};

/// A buffer of n values on the device, freed with the test.
template <class T>
class Device {
 public:
  explicit Device(std::size_t n) : n_(n) {
    EXPECT_EQ(hipMalloc(&data_, n * sizeof(T)), hipSuccess);
  }
  Device(std::size_t n, T value) : Device(n) {
    const std::vector<T> values(n, value);
    EXPECT_EQ(hipMemcpy(data_, values.data(), n * sizeof(T), hipMemcpyHostToDevice), hipSuccess);
  }
  ~Device() { static_cast<void>(hipFree(data_)); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  T* get() const { return data_; }
  std::vector<T> read() const {
    std::vector<T> values(n_);
    EXPECT_EQ(hipMemcpy(values.data(), data_, n_ * sizeof(T), hipMemcpyDeviceToHost), hipSuccess);
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t n_;
};

/// True if the last report contains the text.
inline ::testing::AssertionResult reported(const std::string& text) {
  if (last_report().find(text) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "no \"" << text << "\" in: " << last_report();
}

}  // namespace hipx::testing
