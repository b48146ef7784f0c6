#include <algorithm>
#include <array>
#include <optional>

#include "conformance/judge/judge.h"

namespace plumbline::judge {
namespace {

/// The distinct indices along one axis, ascending.
std::vector<std::int64_t> distinct_along(std::span<const std::int64_t> indices,
                                         std::span<const std::int64_t> shape, std::size_t axis) {
  std::vector<std::int64_t> seen;
  seen.reserve(indices.size());
  for (const std::int64_t index : indices) seen.push_back(position_of(index, shape)[axis]);
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  return seen;
}

std::string plural(const std::string& name) { return name + "s"; }

std::optional<std::string> tail_pattern(const std::vector<std::int64_t>& at, std::int64_t extent,
                                        const std::string& name) {
  constexpr std::array<std::int64_t, 4> kTiles = {16, 32, 64, 128};
  for (const std::int64_t tile : kTiles) {
    const std::int64_t first = extent - extent % tile;
    if (extent > tile && first < extent && at.front() >= first) {
      return "all in the last partial tile of " + plural(name) + " (" + std::to_string(first) +
             " to " + std::to_string(extent - 1) + ", tile " + std::to_string(tile) + ")";
    }
  }
  for (const std::int64_t tile : kTiles) {
    if (extent > tile && extent % tile == 0 && at.front() >= extent - tile) {
      return "all in the last " + std::to_string(tile) + " " + plural(name);
    }
  }
  return std::nullopt;
}

std::optional<std::string> stride_pattern(const std::vector<std::int64_t>& at, std::int64_t extent,
                                          const std::string& name) {
  if (at.size() < 2 || static_cast<std::int64_t>(at.size()) == extent) return std::nullopt;
  const std::int64_t step = at[1] - at[0];
  bool even_steps = step > 1;
  for (std::size_t i = 1; i < at.size(); ++i) even_steps = even_steps && at[i] - at[i - 1] == step;
  if (even_steps && at.size() > 2) {
    return "every " + std::to_string(step) +
           (step == 2   ? "nd "
            : step == 3 ? "rd "
                        : "th ") +
           name + " from " + std::to_string(at.front());
  }
  if (step == 1 && at.back() - at.front() + 1 == static_cast<std::int64_t>(at.size())) {
    return "all in " + plural(name) + " " + std::to_string(at.front()) + " to " +
           std::to_string(at.back());
  }
  return std::nullopt;
}

std::optional<std::string> axis_pattern(const std::vector<std::int64_t>& at, std::int64_t extent,
                                        const std::string& name) {
  if (extent < 2 || at.empty()) return std::nullopt;
  if (at.size() == 1) return "all in " + name + " " + std::to_string(at.front());
  if (const auto tail = tail_pattern(at, extent, name)) return tail;
  return stride_pattern(at, extent, name);
}

}  // namespace

std::vector<std::int64_t> position_of(std::int64_t index, std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> position(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    position[axis] = index % shape[axis];
    index /= shape[axis];
  }
  return position;
}

std::vector<std::string> axis_names(std::string_view output, std::size_t rank) {
  if (output == "out" && rank == 2) return {"token", "element"};
  if (output == "out" && rank == 3) return {"row", "head", "element"};
  if (output == "lse" && rank == 2) return {"head", "row"};
  if (output.starts_with("topk_") && rank == 2) return {"token", "slot"};
  std::vector<std::string> names;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    names.push_back("axis-" + std::to_string(axis) + " index");
  }
  return names;
}

std::string pattern_of(std::span<const std::int64_t> indices, std::span<const std::int64_t> shape,
                       std::span<const std::string> names) {
  if (indices.size() < 2) return "";
  std::string text;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const auto found = axis_pattern(distinct_along(indices, shape, axis), shape[axis], names[axis]);
    if (found) text += ", " + *found;
  }
  return text;
}

}  // namespace plumbline::judge
