#include "reports/reports.h"

#include "conformance/record/file.h"
#include "reports/model/csv.h"
#include "reports/model/junit.h"
#include "reports/model/run.h"
#include "reports/model/sentence.h"
#include "reports/model/summary.h"
#include "reports/pages/page.h"

namespace plumbline::reports {

void write_all(const std::filesystem::path& out_dir) {
  const Run run = load(out_dir);
  record::replace_file(out_dir / "coverage.csv", coverage_csv(run));
  record::replace_file(out_dir / "records.csv", records_csv(run));
  record::replace_file(out_dir / "junit.xml", junit_xml(run));
  record::replace_file(out_dir / "summary.json", summary_json(run));
  record::replace_file(out_dir / "report.html", report_html(run));
}

std::string summary_sentence(const std::filesystem::path& out_dir) {
  return summary_sentence(load(out_dir));
}

int exit_status(const std::filesystem::path& out_dir) { return exit_of(load(out_dir)); }

}  // namespace plumbline::reports
