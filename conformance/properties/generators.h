#pragma once
#include <rapidcheck.h>

#include "reference/spec/problem.h"

/// Cases for the property tests: small ones, drawn from the axes that the embedded implementation
/// offers.
namespace plumbline::properties {

rc::Gen<Case> any_route_case();
rc::Gen<Case> any_experts_case();
rc::Gen<Case> any_attention_case();
/// A case of any operation that the relation's pattern ("moe.*") covers.
rc::Gen<Case> any_case_of(std::string_view applies_to);

}  // namespace plumbline::properties
