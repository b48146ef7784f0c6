#include <gtest/gtest.h>

#include <set>

#include "device/abi/call.h"

namespace plumbline::device {
namespace {

TEST(Faults, ThereAreTenAtLeastAndEachIsNamedOnceAndConstructs) {
  const std::vector<FaultInfo> faults = all_faults();
  EXPECT_GE(faults.size(), 10U);
  std::set<std::string_view> names;
  for (const FaultInfo& fault : faults) {
    EXPECT_TRUE(names.insert(fault.name).second) << fault.name;
    EXPECT_FALSE(fault.mistake.empty() || fault.expected_lane.empty() || fault.pattern.empty());
    EXPECT_NE(make_embedded({64, std::string(fault.name)}), nullptr);
  }
}

TEST(Faults, AnUnknownNameOrWaveIsBadInput) {
  EXPECT_THROW(make_embedded({64, "no_such_fault"}), BadInput);
  EXPECT_THROW(make_embedded({48, ""}), BadInput);
}

TEST(Faults, APlantedFaultChangesTheResultAndTheCorrectKernelsDoNot) {
  RouteProblem p;
  p.e = 4;
  p.renormalize = true;
  Tensors inputs = {{"router_logits", test::f32_tensor({1, 4}, {1, 2, 3, 4})}};
  const Tensors correct = test::call(p.to_problem(), inputs).returned;
  EXPECT_EQ(correct, test::call(p.to_problem(), inputs).returned);
  EXPECT_NE(correct, test::call(p.to_problem(), inputs, 64, "renormalise_skipped").returned);
}

}  // namespace
}  // namespace plumbline::device
