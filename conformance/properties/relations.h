#pragma once
#include <span>
#include <string_view>

#include "conformance/judge/judge.h"
#include "device/abi/implementation.h"
#include "reference/spec/problem.h"

namespace plumbline::properties {

using judge::Judgement;

/// A metamorphic relation: how the output must change when the case is changed. It needs no
/// expected values, so that it also holds where the reference could be wrong.
struct Relation {
  std::string_view name;        ///< "permuted_tokens"; its lane is "relation:permuted_tokens"
  std::string_view applies_to;  ///< operation, with a trailing * as in filters: "attention.*"
  std::string_view statement;   ///< one sentence: what must hold
  /// Makes the case's inputs and the changed ones, runs both, compares. Lane "relation:NAME".
  /// Verdict not_offered where the case gives the relation nothing to change.
  Judgement (*judge)(const Case&, Implementation&);
};

/// Every relation: the one list, in all.cpp.
std::span<const Relation> all_relations();
/// Whether the relation's operation pattern matches the case.
bool applies(const Relation& relation, const Problem& problem);
/// Null where there is none of that name.
const Relation* find_relation(std::string_view name);

}  // namespace plumbline::properties
