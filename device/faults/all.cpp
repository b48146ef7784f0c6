#include <algorithm>
#include <array>

#include "device/faults/planted.h"

namespace plumbline {
namespace device {
namespace {

constexpr std::array kAll = {
    &kDropLastK,
    &kDropTailTile,
    &kGateUpSwapped,
    &kRouterWeightTwice,
    &kRoutedScaleTwice,
    &kNeighbourTokenScale,
    &kWrongScaleBlockAtEdge,
    &kBf16Truncated,
    &kAlphaOf17,
    &kLimitDropped,
    &kInputOverwritten,
    &kCausalOffByOne,
    &kPagedTailNotMasked,
    &kOutNotWrittenInOneMode,
    &kGqaHeadMapInterleaved,
    &kLseBase2,
    &kWindowOffByOne,
    &kSoftcapIgnored,
    &kSinkIgnored,
    &kRenormaliseSkipped,
    &kBiasUsedAsWeight,
    &kGroupsIgnored,
    &kOneTokenTooMany,
    &kKeysReadPastTheEnd,
    &kLastSplitDropped,
    &kSplitsFollowTheBatch,
    &kPackerOfAnotherBackend,
    &kInt8ScaleOfTheNeighbour,
    &kLightopRouterWeightTwice,
    &kLightopActivationIgnored,
    &kLightopRouterFlagIgnored,
    &kLightopKpackIgnored,
    &kTrtllmGateBeforeUp,
    &kTrtllmAbsentLimitIsZero,
    &kWaveOf64Assumed,
    &kMissingBarrier,
    &kPredicateOnTheWrongType,
    &kLightopAskedOfScaleFormats,
    &kAliasForgotten,
    &kBorrowerReadsOwnerState,
    &kParametersWrittenByABorrower,
    &kStaleParametersAfterReCreation,
    &kAbsentLimitWrittenAsZero,
    &kOwnershipKeptByARefusedCall,
    &kWeightsPackedTwice,
    &kSwitchLeftByProcessWeights,
    &kUnknownRunnerBecomesTriton,
};

}  // namespace

std::span<const Fault* const> all_planted() { return kAll; }

const Fault* find_fault(std::string_view name) {
  const auto it = std::find_if(kAll.begin(), kAll.end(),
                               [&](const Fault* fault) { return fault->info.name == name; });
  return it == kAll.end() ? nullptr : *it;
}

}  // namespace device

std::vector<FaultInfo> all_faults() {
  std::vector<FaultInfo> infos;
  for (const device::Fault* fault : device::all_planted()) infos.push_back(fault->info);
  return infos;
}

}  // namespace plumbline
