#include "reports/model/sentence.h"

#include <algorithm>
#include <vector>

#include "reports/model/cells.h"
#include "reports/model/text.h"

namespace plumbline::reports {
namespace {

void add(std::string& list, std::int64_t count, std::string_view name) {
  if (count == 0) return;
  if (!list.empty()) list += ", ";
  list += grouped(count) + ' ';
  for (const char c : name) list += c == '_' ? ' ' : c;
}

std::int64_t count_of(const VerdictCounts& counts, Verdict verdict) {
  return counts[static_cast<std::size_t>(verdict)];
}

std::string planned_part(const Run& run) {
  const auto planned = static_cast<std::int64_t>(run.plan.cases.size());
  std::string text = grouped(planned) + " planned case" + (planned == 1 ? "" : "s");
  if (!run.plan.run.suite.empty()) text += " of suite " + run.plan.run.suite;
  if (!run.plan.run.filter.empty()) {
    text +=
        " (only what the filter \"" + run.plan.run.filter + "\" leaves; the rest was not planned)";
  }
  const auto extra = static_cast<std::int64_t>(run.records.size()) - planned;
  if (extra > 0) text += " and " + grouped(extra) + " that were not planned";
  return text;
}

std::string place_part(const RunHeader& run) {
  std::string text = run.implementation;
  if (!run.version.empty()) text += ' ' + run.version;
  text += " on " + (run.target.empty() ? "an unknown target" : run.target);
  if (!run.device.empty() && run.device != run.target) text += " (" + run.device + ')';
  if (run.wave > 0) text += ", wave " + std::to_string(run.wave);
  return text + ", seed " + std::to_string(run.seed);
}

}  // namespace

std::string verdict_list(const VerdictCounts& counts) {
  std::string list;
  std::vector<VerdictInfo> rows(all_verdicts().begin(), all_verdicts().end());
  std::stable_sort(rows.begin(), rows.end(), [](const VerdictInfo& a, const VerdictInfo& b) {
    if (a.exit == 0 || b.exit == 0) return a.exit != 0 && b.exit == 0;
    return severity(a.verdict) < severity(b.verdict);
  });
  for (const VerdictInfo& row : rows) add(list, count_of(counts, row.verdict), row.name);
  return list;
}

std::string outcome_word(const Run& run) {
  const int exit = exit_of(run);
  if (exit == kExitEmptyPlan) return "Nothing was tested";
  if (exit != 0) return exit == 1 ? "Failed" : "No verdict";
  const VerdictCounts counts = count_verdicts(run.records);
  const bool tested = count_of(counts, Verdict::kPass) + count_of(counts, Verdict::kSuspicious) +
                          count_of(counts, Verdict::kRefused) >
                      0;
  return tested ? "Passed" : "Nothing was tested";
}

std::string summary_sentence(const Run& run) {
  const VerdictCounts counts = count_verdicts(run.records);
  std::string text = outcome_word(run) + ": " + planned_part(run);
  if (run.records.empty()) return text + ", " + place_part(run.plan.run) + '.';
  text += " gave " + verdict_list(counts);
  const std::int64_t missing = count_of(counts, Verdict::kUnanswered);
  if (missing > 0) {
    text += " (" + grouped(missing) + (missing == 1 ? " was" : " were") + " planned and not run)";
  }
  return text + "; " + place_part(run.plan.run) + '.';
}

}  // namespace plumbline::reports
