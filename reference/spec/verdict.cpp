#include "reference/spec/verdict.h"

#include <array>

namespace plumbline {
namespace {

using J = JunitState;
using V = Verdict;

constexpr std::string_view kGreen = "#1a7f37";
constexpr std::string_view kAmber = "#9a6700";
constexpr std::string_view kRed = "#cf222e";
constexpr std::string_view kPurple = "#8250df";
constexpr std::string_view kGrey = "#6e7781";
constexpr std::string_view kBlue = "#0969da";

constexpr auto kVerdicts = std::to_array<VerdictInfo>({
    {V::kPass, "pass", 0, J::kPass, kGreen, "inside the tightest lane that applies"},
    {V::kSuspicious, "suspicious", 0, J::kPass, kAmber,
     "outside the calibrated radius, inside the rigorous one, profile not confirmed by a probe"},
    {V::kUntrusted, "untrusted", 1, J::kFailure, kAmber,
     "passed but could hardly have failed: nothing compared, or more than 5 % of the radii above "
     "the RMS of the expected tensor"},
    {V::kFail, "fail", 1, J::kFailure, kRed, "wrong number, bits, write or metamorphic relation"},
    {V::kRefused, "refused", 0, J::kSkipped, kBlue,
     "refused with the right class, where the contract says must or may refuse"},
    {V::kWronglyRefused, "wrongly_refused", 1, J::kFailure, kRed,
     "refused what the contract says must be accepted"},
    {V::kWronglyAccepted, "wrongly_accepted", 1, J::kFailure, kRed,
     "accepted what the contract says must be refused"},
    {V::kWrongClass, "wrong_class", 1, J::kFailure, kRed,
     "refused with another error class than the contract names"},
    {V::kWrongPath, "wrong_path", 1, J::kFailure, kRed,
     "ran another path than the one selected, whatever its numbers"},
    {V::kNotOffered, "not_offered", 0, J::kSkipped, kGrey, "the manifest does not claim it"},
    {V::kExcluded, "excluded", 0, J::kNotListed, kGrey,
     "illegal by a named rule and not a negative case"},
    {V::kCrash, "crash", 1, J::kError, kPurple, "an accident of the implementation on this case"},
    {V::kTimeout, "timeout", 1, J::kError, kPurple, "no answer within the time allowed"},
    {V::kDeviceLost, "device_lost", 1, J::kError, kPurple, "the device was lost on this case"},
    {V::kEnvironment, "environment", 2, J::kError, kPurple,
     "the implementation never started, ran out of memory or found no device"},
    {V::kFlaky, "flaky", 1, J::kFailure, kRed, "verdict or output differs over repeats"},
    {V::kWaived, "waived", 0, J::kSkipped, kGrey, "a failure that a waiver names"},
    {V::kUnexpectedPass, "unexpected_pass", 1, J::kFailure, kAmber, "passed although waived"},
    {V::kUnanswered, "unanswered", 1, J::kError, kPurple, "planned and not run"},
});

constexpr bool rows_follow_the_enumeration() {
  for (std::size_t i = 0; i < kVerdicts.size(); ++i) {
    if (static_cast<std::size_t>(kVerdicts[i].verdict) != i) return false;
  }
  return true;
}
static_assert(rows_follow_the_enumeration());

}  // namespace

const VerdictInfo& info_of(Verdict verdict) { return kVerdicts[static_cast<std::size_t>(verdict)]; }

std::span<const VerdictInfo> all_verdicts() { return kVerdicts; }

std::optional<Verdict> verdict_from_name(std::string_view name) {
  for (const VerdictInfo& row : kVerdicts) {
    if (row.name == name) return row.verdict;
  }
  return std::nullopt;
}

int worse_exit(int a, int b) {
  if (a == 1 || b == 1) return 1;
  return a > b ? a : b;
}

}  // namespace plumbline
