#include "reports/reports.h"

#include "conformance/record/journal.h"

namespace plumbline::reports {

void write_all(const std::filesystem::path& out_dir) {
  record::read_plan(out_dir / record::kPlanName);
  record::read_journal(out_dir / record::kJournalName);
}

std::string summary_sentence(const std::filesystem::path& out_dir) {
  return std::to_string(record::read_journal(out_dir / record::kJournalName).size()) + " cases";
}

int exit_status(const std::filesystem::path& out_dir) {
  int exit = 0;
  for (const Record& record : record::read_journal(out_dir / record::kJournalName)) {
    exit = worse_exit(exit, info_of(record.verdict).exit);
  }
  return exit;
}

}  // namespace plumbline::reports
