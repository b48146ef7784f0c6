#pragma once
#include <span>
#include <string_view>

#include "device/abi/implementation.h"
#include "device/attention/attention.h"
#include "device/moe/experts.h"
#include "device/moe/identity.h"
#include "device/moe/lightop/plan.h"
#include "device/moe/method_rules.h"
#include "device/moe/route.h"
#include "device/moe/trtllm_plan.h"

namespace plumbline::device {

/// A planted fault: an edit of the plans, which are plain data, before they are launched. The
/// kernels know nothing of it. An edit that is null leaves its plans alone.
struct Fault {
  FaultInfo info;
  void (*experts)(ExpertsPlan&) = nullptr;
  void (*attention)(AttentionPlan&) = nullptr;
  void (*route)(RoutePlan&) = nullptr;
  void (*lightop)(LightopPlan&) = nullptr;
  void (*trtllm)(TrtllmPlan&) = nullptr;
  /// Edits what a path's packer made of plain weights.
  void (*packed)(const ExpertsProblem&, const TensorViews& weights, QuantRecord&) = nullptr;
  void (*method)(MethodRules&) = nullptr;
  void (*identities)(identity::Table&) = nullptr;
};

/// The faults in the order of faults/all.cpp.
std::span<const Fault* const> all_planted();

/// The fault of that name, or null.
const Fault* find_fault(std::string_view name);

}  // namespace plumbline::device
