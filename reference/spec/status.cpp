#include "reference/spec/status.h"

#include <array>

namespace plumbline {
namespace {

constexpr auto kStatuses = std::to_array<Status>({
    Status::kOk,
    Status::kUnsupported,
    Status::kDtype,
    Status::kShape,
    Status::kLayout,
    Status::kMissing,
    Status::kUnexpected,
    Status::kCapacity,
    Status::kState,
    Status::kDevice,
});
constexpr auto kNames = std::to_array<std::string_view>({
    "ok",
    "unsupported",
    "dtype",
    "shape",
    "layout",
    "missing",
    "unexpected",
    "capacity",
    "state",
    "device",
});
static_assert(kStatuses.size() == kNames.size());

std::string line(std::string_view file, std::string_view place, std::string_view rule) {
  std::string text(file);
  for (const std::string_view part : {place, rule}) {
    if (part.empty()) continue;
    if (!text.empty()) text += ": ";
    text += part;
  }
  return text;
}

}  // namespace

std::string_view name_of(Status status) { return kNames[static_cast<std::size_t>(status)]; }
std::span<const Status> all_statuses() { return kStatuses; }

BadInput::BadInput(std::string_view file, std::string_view place, std::string_view rule)
    : std::runtime_error(line(file, place, rule)) {}

}  // namespace plumbline
