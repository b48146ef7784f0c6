#pragma once
#include <optional>
#include <string_view>

#include "device/moe/identity.h"
#include "device/moe/path.h"

/// From a problem to the path that runs it.
namespace plumbline::device {

/// The path that runs a problem: the first whose backend's question (is_lightop, …) says yes of the
/// problem's backend, else triton's for the quant scheme. The problem must have been validated.
const ExpertPath& select_path(const ExpertsProblem& problem,
                              const identity::Table& identities = identity::all());

/// Refuses what no path of that backend, quant, pack, … takes. `library`: the switch
/// lightop_library.
std::optional<Refusal> refuse_layer(const ExpertsProblem& problem, std::string_view library);
/// refuse_layer, then the tensors of `moe.experts`.
std::optional<Refusal> refuse_experts(const ExpertsProblem& problem, const TensorViews& inputs,
                                      std::string_view library);
/// refuse_layer, then the plain weights alone.
std::optional<Refusal> refuse_weights(const ExpertsProblem& problem, const TensorViews& weights,
                                      std::string_view library);
/// refuse_layer, then the record (tag first), then x, topk_ids and topk_weights.
std::optional<Refusal> refuse_packed(const ExpertsProblem& problem, const QuantRecord& record,
                                     const TensorViews& inputs, std::string_view library);

/// Packs checked weights for a path, with a planted fault's edit.
QuantRecord pack_for(const ExpertPath& path, const ExpertsProblem& problem,
                     const TensorViews& inputs, const Fault* fault);

}  // namespace plumbline::device
