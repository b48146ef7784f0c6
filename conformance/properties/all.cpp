#include <vector>

#include "conformance/properties/relations.h"
#include "conformance/properties/relations/list.h"

namespace plumbline::properties {

std::span<const Relation> all_relations() {
  static const std::vector<Relation> relations = {
      kPermutedTokens,      kBatchComposition,  kDuplicateTokens, kRelabelledExperts,
      kPermutedSlots,       kZeroWeightSlots,   kSentinelSlots,   kUnusedExperts,
      kScaledRouterWeights, kPermutedSequences, kSequenceAlone,   kCausalPrefix,
      kPermutedPages,       kInvisibleKeys,     kOutModes,        kSingleQuery,
      kSinkOfMinusInfinity, kWideWindow,        kScaledValues,    kRepeatedHeads,
  };
  return relations;
}

bool applies(const Relation& relation, const Problem& problem) {
  const std::string_view pattern = relation.applies_to;
  if (!pattern.ends_with('*')) return problem.op == pattern;
  return problem.op.starts_with(pattern.substr(0, pattern.size() - 1));
}

const Relation* find_relation(std::string_view name) {
  for (const Relation& relation : all_relations()) {
    if (relation.name == name) return &relation;
  }
  return nullptr;
}

}  // namespace plumbline::properties
