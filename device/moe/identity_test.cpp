#include "device/moe/identity.h"

#include <gtest/gtest.h>

#include <string_view>

namespace plumbline::device::identity {
namespace {

// Whether a predicate may be asked of a type: a question that does not compile is false.
template <class T>
constexpr bool can_ask_lightop = requires(T value) {
  is_lightop(value);
};
template <class T>
constexpr bool can_ask_deepep = requires(T value) {
  is_deepep(value);
};
template <class T>
constexpr bool can_ask_ue8m0 = requires(T value) {
  ue8m0(value);
};
template <class T>
constexpr bool can_ask_enable_normal = requires(T value) {
  enable_normal(value);
};
template <class T>
constexpr bool can_ask_fp8 = requires(T value) {
  is_fp8(value);
};
template <class T>
constexpr bool can_ask_supports_aiter = requires(T value) {
  supports_aiter(value);
};
template <class T>
constexpr bool can_ask_standard = requires(T value) {
  is_standard(value);
};

static_assert(can_ask_lightop<RunnerBackend>);
static_assert(!can_ask_lightop<DeepepV2ScaleFormat> && !can_ask_lightop<A2aBackend> &&
              !can_ask_lightop<DispatchFormat> && !can_ask_lightop<CombineFormat> &&
              !can_ask_lightop<DispatchDtype> && !can_ask_lightop<DeepepMode> &&
              !can_ask_lightop<int> && !can_ask_lightop<std::string_view>);
static_assert(can_ask_deepep<A2aBackend> && can_ask_deepep<DispatchFormat> &&
              can_ask_deepep<CombineFormat>);
static_assert(!can_ask_deepep<RunnerBackend> && !can_ask_deepep<DeepepMode> &&
              !can_ask_deepep<DispatchDtype> && !can_ask_deepep<DeepepV2ScaleFormat> &&
              !can_ask_deepep<int>);
static_assert(can_ask_ue8m0<DeepepV2ScaleFormat>);
static_assert(!can_ask_ue8m0<RunnerBackend> && !can_ask_ue8m0<DispatchDtype> &&
              !can_ask_ue8m0<A2aBackend> && !can_ask_ue8m0<DispatchFormat> &&
              !can_ask_ue8m0<CombineFormat> && !can_ask_ue8m0<DeepepMode>);
static_assert(can_ask_enable_normal<DeepepMode>);
static_assert(!can_ask_enable_normal<RunnerBackend> && !can_ask_enable_normal<A2aBackend> &&
              !can_ask_enable_normal<DispatchFormat> && !can_ask_enable_normal<CombineFormat> &&
              !can_ask_enable_normal<DispatchDtype> && !can_ask_enable_normal<DeepepV2ScaleFormat>);
static_assert(can_ask_fp8<DispatchDtype>);
static_assert(!can_ask_fp8<RunnerBackend> && !can_ask_fp8<A2aBackend> &&
              !can_ask_fp8<DispatchFormat> && !can_ask_fp8<CombineFormat> &&
              !can_ask_fp8<DeepepMode> && !can_ask_fp8<DeepepV2ScaleFormat>);
static_assert(can_ask_supports_aiter<A2aBackend>);
static_assert(!can_ask_supports_aiter<RunnerBackend> && !can_ask_supports_aiter<DispatchFormat> &&
              !can_ask_supports_aiter<CombineFormat> && !can_ask_supports_aiter<DispatchDtype> &&
              !can_ask_supports_aiter<DeepepMode> && !can_ask_supports_aiter<DeepepV2ScaleFormat>);
static_assert(can_ask_standard<DispatchFormat> && can_ask_standard<CombineFormat>);
static_assert(!can_ask_standard<RunnerBackend> && !can_ask_standard<A2aBackend> &&
              !can_ask_standard<DispatchDtype> && !can_ask_standard<DeepepMode> &&
              !can_ask_standard<DeepepV2ScaleFormat>);

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
