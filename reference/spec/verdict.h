#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace plumbline {

/// The one table of outcomes. Every command, file and page uses these and no others.
enum class Verdict : std::uint8_t {
  kPass,
  kSuspicious,
  kUntrusted,
  kFail,
  kRefused,
  kWronglyRefused,
  kWronglyAccepted,
  kWrongClass,
  kWrongPath,
  kNotOffered,
  kExcluded,
  kCrash,
  kTimeout,
  kDeviceLost,
  kEnvironment,
  kFlaky,
  kWaived,
  kUnexpectedPass,
  kUnanswered,
};

/// How a JUnit reader shows a verdict.
enum class JunitState : std::uint8_t { kPass, kFailure, kError, kSkipped, kNotListed };

struct VerdictInfo {
  Verdict verdict;
  std::string_view name;  ///< as written to journals: "wrongly_refused"
  int exit;               ///< 0, 1 or 2; over a run 1 wins over 2 and 2 over 0
  JunitState junit;
  std::string_view colour;   ///< CSS colour of report and terminal, one a kind of outcome
  std::string_view meaning;  ///< one sentence for legends and `list`
};

const VerdictInfo& info_of(Verdict verdict);
std::span<const VerdictInfo> all_verdicts();
std::optional<Verdict> verdict_from_name(std::string_view name);
inline std::string_view name_of(Verdict verdict) { return info_of(verdict).name; }

/// Exit status of a run whose plan was empty.
inline constexpr int kExitEmptyPlan = 3;
/// Combines two exit statuses: 1 wins over 2, 2 over 0.
int worse_exit(int a, int b);

}  // namespace plumbline
