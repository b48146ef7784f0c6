#pragma once
#include "device/faults/fault.h"

/// The faults themselves; each has a file of its name that says what is wrong.
namespace plumbline::device {

extern const Fault kDropLastK;
extern const Fault kDropTailTile;
extern const Fault kGateUpSwapped;
extern const Fault kRouterWeightTwice;
extern const Fault kRoutedScaleTwice;
extern const Fault kNeighbourTokenScale;
extern const Fault kWrongScaleBlockAtEdge;
extern const Fault kBf16Truncated;
extern const Fault kAlphaOf17;
extern const Fault kLimitDropped;
extern const Fault kInputOverwritten;
extern const Fault kCausalOffByOne;
extern const Fault kPagedTailNotMasked;
extern const Fault kOutNotWrittenInOneMode;
extern const Fault kGqaHeadMapInterleaved;
extern const Fault kLseBase2;
extern const Fault kWindowOffByOne;
extern const Fault kSoftcapIgnored;
extern const Fault kSinkIgnored;
extern const Fault kRenormaliseSkipped;
extern const Fault kBiasUsedAsWeight;
extern const Fault kGroupsIgnored;
extern const Fault kOneTokenTooMany;
extern const Fault kKeysReadPastTheEnd;
extern const Fault kLastSplitDropped;
extern const Fault kSplitsFollowTheBatch;
extern const Fault kPackerOfAnotherBackend;
extern const Fault kInt8ScaleOfTheNeighbour;
extern const Fault kLightopRouterWeightTwice;
extern const Fault kLightopActivationIgnored;
extern const Fault kLightopRouterFlagIgnored;
extern const Fault kLightopKpackIgnored;
extern const Fault kTrtllmGateBeforeUp;
extern const Fault kTrtllmAbsentLimitIsZero;
extern const Fault kWaveOf64Assumed;
extern const Fault kMissingBarrier;
extern const Fault kPredicateOnTheWrongType;
extern const Fault kLightopAskedOfScaleFormats;
extern const Fault kAliasForgotten;
extern const Fault kBorrowerReadsOwnerState;
extern const Fault kParametersWrittenByABorrower;
extern const Fault kStaleParametersAfterReCreation;
extern const Fault kAbsentLimitWrittenAsZero;
extern const Fault kOwnershipKeptByARefusedCall;
extern const Fault kWeightsPackedTwice;
extern const Fault kSwitchLeftByProcessWeights;
extern const Fault kUnknownRunnerBecomesTriton;

}  // namespace plumbline::device
