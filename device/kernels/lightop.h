#pragma once
#include <hip/hip_runtime.h>

#include <cstdint>

#include "device/kernels/experts.h"
#include "device/kernels/number.h"

/// Kernels of the backend `lightop`: tokens lie in contiguous rows by expert, weights in panels
/// (device/moe/lightop/layout.md).
namespace plumbline::device {

/// Output rows of a weight that lie in one panel.
inline constexpr std::int32_t kPanelRows = 16;
/// Rows of tokens in one tile.
inline constexpr std::int32_t kPanelTile = 16;

/// Gives every token slot of an expert a row: those of expert 0 first, ascending inside an expert;
/// and cuts the rows of each expert into tiles. Slots whose id is not in
/// [0, experts) have none.
struct PermuteArgs {
  const std::int32_t* ids = nullptr;    ///< [slots]
  std::int32_t* row_slot = nullptr;     ///< [slots] slot of each row
  std::int32_t* slot_row = nullptr;     ///< [slots] row of each slot
  std::int32_t* tile_expert = nullptr;  ///< [tiles at most]
  std::int32_t* tile_first = nullptr;   ///< [tiles at most] first row
  std::int32_t* tile_rows = nullptr;    ///< [tiles at most] rows, up to kPanelTile
  std::int32_t* counts = nullptr;       ///< [2] rows, tiles
  std::int32_t* first_row = nullptr;    ///< [experts] work space
  std::int32_t* first_tile = nullptr;   ///< [experts] work space
  std::int32_t slots = 0;
  std::int32_t experts = 0;
  std::int32_t barriers = 2;  ///< between counting, placing and writing
};
void launch_permute(const PermuteArgs& args, hipStream_t stream);

/// Order of the bytes of a panel of 16 rows.
enum class PanelOrder : std::uint8_t {
  kColumns,  ///< 16 rows of k = 0, then of k = 1, …
  kPairs,    ///< (k, k + 1) of row 0, of row 1, …, then of the next pair
  kTiles,    ///< 32 k of row 0, of row 1, …, then the next 32 k
};

/// One product over panels. With `activated`: out[r, j] = bf16(act(gate, up)), where panel 2j' is
/// gate and panel 2j' + 1 is up of the same 16 outputs (relu2: gate alone); else sums[r, j] in
/// fp32. Values are (Σ a · b) · a_scale[r] · b_scale[channel].
struct PanelArgs {
  const void* a = nullptr;                    ///< [rows, k] codes
  const float* a_scale = nullptr;             ///< [rows]
  const void* b = nullptr;                    ///< [experts, panels, depth, 16]
  const float* b_scale = nullptr;             ///< [experts, panels · 16]
  const std::int32_t* tile_expert = nullptr;  ///< tiles of PermuteArgs
  const std::int32_t* tile_first = nullptr;
  const std::int32_t* tile_rows = nullptr;
  const std::int32_t* counts = nullptr;
  Bf16* activated = nullptr;  ///< [rows, n]
  float* sums = nullptr;      ///< [rows, n]
  std::int32_t n = 0;
  std::int32_t k = 0;
  std::int32_t depth = 0;   ///< k padded as the panels are
  std::int32_t panels = 0;  ///< of one expert
  std::int32_t row_tiles = 0;
  std::int32_t scale_shift = 0;  ///< channel c has the scale of channel c + it (wrapped); 0
  PanelOrder order = PanelOrder::kColumns;
  Gate gate;
};
/// `pairs`: gate and up panels alternate.
void launch_panels(TokenCode code, bool pairs, const PanelArgs& args, hipStream_t stream);

}  // namespace plumbline::device
