#pragma once
#include <cstdint>

#include "device/kernels/lightop.h"
#include "device/moe/path.h"

/// The packed weights of `lightop` (layout.md).
namespace plumbline::device::lightop {

/// Order of the bytes of a panel for the problem's quant and pack.
PanelOrder order_of(const ExpertsProblem& problem);
/// k as the panels have it: a multiple of 64 (INT8) or 32 (FP8).
std::int64_t depth_of(const ExpertsProblem& problem, std::int64_t k);
/// Panels of one expert that hold that many rows; of w13 with gate and up: twice those of i rows.
std::int64_t panels_of(std::int64_t rows);
std::int64_t w13_panels(const ExpertsProblem& problem);
/// Place of (row of the panel, k) in the bytes of its panel.
std::int64_t place_in_panel(PanelOrder order, std::int64_t row, std::int64_t k);

/// Packer and record check of the path (path.h).
QuantRecord pack_weights(const ExpertsProblem& problem, const TensorViews& weights);
std::optional<Refusal> refuse_record(const ExpertsProblem& problem, const QuantRecord& record);

}  // namespace plumbline::device::lightop
