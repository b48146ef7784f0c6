#include "device/moe/identity.h"

#include <gtest/gtest.h>

#include <string_view>

namespace plumbline::device::identity {
namespace {

// Whether a predicate may be asked of a type: a question that does not compile is false.
template <class T>
constexpr bool kCanAskLightop = requires(T value) {
  is_lightop(value);
};
template <class T>
constexpr bool kCanAskDeepep = requires(T value) {
  is_deepep(value);
};
template <class T>
constexpr bool kCanAskUe8m0 = requires(T value) {
  ue8m0(value);
};
template <class T>
constexpr bool kCanAskEnableNormal = requires(T value) {
  enable_normal(value);
};
template <class T>
constexpr bool kCanAskFp8 = requires(T value) {
  is_fp8(value);
};
template <class T>
constexpr bool kCanAskSupportsAiter = requires(T value) {
  supports_aiter(value);
};
template <class T>
constexpr bool kCanAskStandard = requires(T value) {
  is_standard(value);
};

static_assert(kCanAskLightop<RunnerBackend>);
static_assert(!kCanAskLightop<DeepepV2ScaleFormat> && !kCanAskLightop<A2aBackend> &&
              !kCanAskLightop<DispatchFormat> && !kCanAskLightop<CombineFormat> &&
              !kCanAskLightop<DispatchDtype> && !kCanAskLightop<DeepepMode> &&
              !kCanAskLightop<int> && !kCanAskLightop<std::string_view>);
static_assert(kCanAskDeepep<A2aBackend> && kCanAskDeepep<DispatchFormat> &&
              kCanAskDeepep<CombineFormat>);
static_assert(!kCanAskDeepep<RunnerBackend> && !kCanAskDeepep<DeepepMode> &&
              !kCanAskDeepep<DispatchDtype> && !kCanAskDeepep<DeepepV2ScaleFormat> &&
              !kCanAskDeepep<int>);
static_assert(kCanAskUe8m0<DeepepV2ScaleFormat>);
static_assert(!kCanAskUe8m0<RunnerBackend> && !kCanAskUe8m0<DispatchDtype> &&
              !kCanAskUe8m0<A2aBackend> && !kCanAskUe8m0<DispatchFormat> &&
              !kCanAskUe8m0<CombineFormat> && !kCanAskUe8m0<DeepepMode>);
static_assert(kCanAskEnableNormal<DeepepMode>);
static_assert(!kCanAskEnableNormal<RunnerBackend> && !kCanAskEnableNormal<A2aBackend> &&
              !kCanAskEnableNormal<DispatchFormat> && !kCanAskEnableNormal<CombineFormat> &&
              !kCanAskEnableNormal<DispatchDtype> && !kCanAskEnableNormal<DeepepV2ScaleFormat>);
static_assert(kCanAskFp8<DispatchDtype>);
static_assert(!kCanAskFp8<RunnerBackend> && !kCanAskFp8<A2aBackend> &&
              !kCanAskFp8<DispatchFormat> && !kCanAskFp8<CombineFormat> &&
              !kCanAskFp8<DeepepMode> && !kCanAskFp8<DeepepV2ScaleFormat>);
static_assert(kCanAskSupportsAiter<A2aBackend>);
static_assert(!kCanAskSupportsAiter<RunnerBackend> && !kCanAskSupportsAiter<DispatchFormat> &&
              !kCanAskSupportsAiter<CombineFormat> && !kCanAskSupportsAiter<DispatchDtype> &&
              !kCanAskSupportsAiter<DeepepMode> && !kCanAskSupportsAiter<DeepepV2ScaleFormat>);
static_assert(kCanAskStandard<DispatchFormat> && kCanAskStandard<CombineFormat>);
static_assert(!kCanAskStandard<RunnerBackend> && !kCanAskStandard<A2aBackend> &&
              !kCanAskStandard<DispatchDtype> && !kCanAskStandard<DeepepMode> &&
              !kCanAskStandard<DeepepV2ScaleFormat>);

TEST(Identity, AForeignPredicateIsRefusedAndNeverFalse) {
  const Table table = all();
  EXPECT_TRUE(*table.ask("runner_backend", "is_lightop", "lightop"));
  EXPECT_FALSE(*table.ask("runner_backend", "is_lightop", "triton"));
  const auto answer = table.ask("deepep_v2_scale_format", "is_lightop", "plain");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.refusal().status, Status::kUnsupported);
}

TEST(Identity, UnknownTypesAndValuesAreRefused) {
  const Table table = all();
  EXPECT_FALSE(table.ask("runner", "is_lightop", "lightop"));
  EXPECT_FALSE(table.ask("runner_backend", "is_lightop", "lightopp"));
  EXPECT_FALSE(table.ask("runner_backend", "is_lightop", "deepep"));
}

TEST(Identity, AliasesAndUnionsHoldOfBoth) {
  EXPECT_TRUE(is_flashinfer_trtllm(RunnerBackend::kExperimentalSglTrtllm));
  EXPECT_FALSE(is_flashinfer_trtllm(RunnerBackend::kFlashinferTrtllmRouted));
  EXPECT_TRUE(is_marlin(RunnerBackend::kExperimentalSglMarlin));
  EXPECT_TRUE(is_deepep(DispatchFormat::kDeepepLl) && is_deepep(DispatchFormat::kDeepepNormal));
  EXPECT_FALSE(is_deepep(DispatchFormat::kDeepepV2));
  EXPECT_TRUE(enable_normal(DeepepMode::kAuto) && enable_low_latency(DeepepMode::kAuto));
}

}  // namespace
}  // namespace plumbline::device::identity
