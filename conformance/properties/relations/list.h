#pragma once
#include "conformance/properties/relations.h"

/// One relation a file of this folder; all.cpp lists them.
namespace plumbline::properties {

extern const Relation kPermutedTokens;
extern const Relation kRelabelledExperts;
extern const Relation kPermutedSlots;
extern const Relation kZeroWeightSlots;
extern const Relation kSentinelSlots;
extern const Relation kUnusedExperts;
extern const Relation kBatchComposition;
extern const Relation kDuplicateTokens;
extern const Relation kScaledRouterWeights;
extern const Relation kPermutedSequences;
extern const Relation kSequenceAlone;
extern const Relation kCausalPrefix;
extern const Relation kPermutedPages;
extern const Relation kInvisibleKeys;
extern const Relation kOutModes;
extern const Relation kSingleQuery;
extern const Relation kSinkOfMinusInfinity;
extern const Relation kWideWindow;
extern const Relation kScaledValues;
extern const Relation kRepeatedHeads;

}  // namespace plumbline::properties
