#pragma once
#include <string>
#include <vector>

#include "conformance/record/record.h"

namespace plumbline {

/// One combination of the grid and its state before any case ran: "offered", "refused", "excluded"
/// or "not_offered". Fields that do not apply to its domain are empty.
struct Cell {
  std::string domain;   ///< "moe" or "attention"
  std::string backend;  ///< runner backend, or path of an attention cell
  std::string quant;
  std::string ownership;
  std::string a2a;
  std::string dispatch_dtype;
  std::string record_flag;
  std::string scale_presence;
  std::string layout;
  std::string out_mode;
  std::string execution_mode;
  std::string state;
  std::string reason;  ///< why it is not offered, refused or excluded
  friend bool operator==(const Cell&, const Cell&) = default;
};

/// What a run set out to do; written to plan.json before the first case.
struct Plan {
  RunHeader run;
  std::vector<std::string> cases;  ///< ids in the order of the plan
  std::vector<Cell> cells;         ///< the full grid
};

/// The cell that a case belongs to; only its key fields are filled in, all but state and reason.
/// Life-cycle cases share the cells of the expert layer.
/// `backend` of routing is "route/SCORING", of identities "identity/TYPE", of attention
/// "prefill/MASK" or "decode/MASK"; `quant` of attention is its io type.
Cell cell_of(const Problem& problem);

}  // namespace plumbline
