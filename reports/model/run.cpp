#include "reports/model/run.h"

#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "conformance/record/journal.h"

namespace plumbline::reports {
namespace {

bool is_answer(Verdict verdict) {
  return verdict != Verdict::kUnanswered && verdict != Verdict::kEnvironment;
}

/// `later` is a second line for the case of `earlier`.
void settle(Record& earlier, Record later) {
  if (is_answer(earlier.verdict) && !is_answer(later.verdict)) return;
  const bool differ = is_answer(earlier.verdict) && earlier.verdict != later.verdict;
  const std::string before(name_of(earlier.verdict));
  earlier = std::move(later);
  if (!differ) return;
  earlier.reason = "journal lines differ: " + before + ", then " +
                   std::string(name_of(earlier.verdict)) + " (" + earlier.reason + ")";
  earlier.verdict = Verdict::kFlaky;
}

Record unanswered(const std::string& case_id, const RunHeader& run) {
  Record record;
  record.case_id = case_id;
  record.reason = "planned and not run";
  record.implementation = run.implementation;
  record.target = run.target;
  record.wave = run.wave;
  record.device = run.device;
  return record;
}

}  // namespace

Run join(Plan plan, std::vector<Record> journal) {
  Run run;
  std::unordered_map<std::string, std::size_t> index;
  for (const std::string& id : plan.cases) {
    if (index.emplace(id, run.records.size()).second) {
      run.records.push_back(unanswered(id, plan.run));
    }
  }
  for (Record& record : journal) {
    const auto [found, added] = index.emplace(record.case_id, run.records.size());
    if (added) {
      run.records.push_back(std::move(record));
    } else {
      settle(run.records[found->second], std::move(record));
    }
  }
  run.plan = std::move(plan);
  return run;
}

Run load(const std::filesystem::path& out_dir) {
  Plan plan = record::read_plan(out_dir / record::kPlanName);
  const std::filesystem::path journal = out_dir / record::kJournalName;
  std::string note;
  std::vector<Record> records;
  if (std::filesystem::exists(journal)) records = record::read_journal(journal, &note);
  Run run = join(std::move(plan), std::move(records));
  if (!note.empty()) run.notes.push_back(note);
  return run;
}

VerdictCounts count_verdicts(const std::vector<Record>& records) {
  VerdictCounts counts{};
  for (const Record& record : records) ++counts[static_cast<std::size_t>(record.verdict)];
  return counts;
}

int exit_of(const Run& run) {
  if (run.records.empty()) return kExitEmptyPlan;
  int exit = 0;
  for (const Record& record : run.records) exit = worse_exit(exit, info_of(record.verdict).exit);
  return exit;
}

bool has_margin(const Record& record) {
  return record.compared > 0 || !record.worst.empty() || !(record.margin == 0);
}

double margin_rank(double margin) {
  return std::isnan(margin) ? std::numeric_limits<double>::infinity() : margin;
}

double seconds_of(const Run& run) {
  if (run.plan.run.seconds > 0) return run.plan.run.seconds;
  double sum = 0;
  for (const Record& record : run.records) sum += record.seconds;
  return sum;
}

}  // namespace plumbline::reports
