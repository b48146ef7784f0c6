#include "reports/reports.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "conformance/record/file.h"
#include "conformance/record/journal.h"
#include "reference/spec/status.h"
#include "reports/model/csv.h"
#include "reports/model/junit.h"
#include "reports/model/run.h"
#include "reports/model/sentence.h"
#include "reports/model/summary.h"
#include "reports/pages/page.h"

namespace plumbline::reports {
namespace {

const std::filesystem::path kApproved =
    std::filesystem::path(PLUMBLINE_SOURCE_DIR) / "reports" / "approved";

Run small_run() {
  Run run = load(kApproved / "run");
  for (std::string& note : run.notes) note.replace(0, note.rfind('/') + 1, "");
  return run;
}

/// Compares with the approved file, or writes it where PLUMBLINE_APPROVE is set.
void expect_approved(const std::string& name, const std::string& got) {
  const std::filesystem::path file = kApproved / name;
  if (std::getenv("PLUMBLINE_APPROVE") != nullptr) record::replace_file(file, got);
  EXPECT_EQ(got, record::read_file(file)) << "look at the difference; if it is meant, run the test "
                                             "with PLUMBLINE_APPROVE=1 and commit "
                                          << file.filename();
}

/// A folder of its own with the small run in it.
class OutFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "plumbline.XXXXXX").string();
    out_ = ::mkdtemp(name.data());
    for (const char* file : {"plan.json", "journal.jsonl"}) {
      std::filesystem::copy(kApproved / "run" / file, out_ / file);
    }
  }
  void TearDown() override { std::filesystem::remove_all(out_); }
  std::string complaint() const {
    try {
      write_all(out_);
    } catch (const BadInput& bad) {
      return std::string(bad.what()).substr(out_.string().size() + 1);
    }
    return "written";
  }
  std::filesystem::path out_;
};

TEST(Approved, CoverageTable) { expect_approved("coverage.csv", coverage_csv(small_run())); }
TEST(Approved, RecordsTable) { expect_approved("records.csv", records_csv(small_run())); }
TEST(Approved, Junit) { expect_approved("junit.xml", junit_xml(small_run())); }
TEST(Approved, Summary) { expect_approved("summary.json", summary_json(small_run())); }

class ApprovedPage : public testing::TestWithParam<Page> {};
TEST_P(ApprovedPage, IsAsItWasLookedAt) {
  const auto run = small_run();
  const View view = view_of(run);
  expect_approved(std::string(GetParam().id) + ".html", GetParam().html(view));
}
INSTANTIATE_TEST_SUITE_P(Pages, ApprovedPage,
                         testing::ValuesIn(all_pages().begin(), all_pages().end()),
                         [](const auto& page) { return std::string(page.param.id); });

TEST(Report, LetsNoMarkupFromOutsideIn) {
  const std::string html = report_html(small_run());
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
  EXPECT_EQ(html.find("</script><b>"), std::string::npos);
  EXPECT_EQ(html.find("<i>\""), std::string::npos);
  EXPECT_NE(html.find("&lt;script&gt;alert(1)"), std::string::npos);
  EXPECT_NE(html.find("{{mustache}}"), std::string::npos);
}

TEST(Report, HasFourScriptElementsAndNoLinks) {
  const std::string html = report_html(small_run());
  std::size_t ends = 0;
  for (std::size_t at = html.find("</script"); at != std::string::npos; ++ends) {
    at = html.find("</script", at + 1);
  }
  EXPECT_EQ(ends, 4U);
  EXPECT_EQ(html.find("src=\"http"), std::string::npos);
  EXPECT_EQ(html.find("<link rel=\"stylesheet"), std::string::npos);
}

TEST(Report, OfAnEmptyPlanSaysThatNothingWasTested) {
  const auto run = join(Plan{}, {});
  EXPECT_EQ(exit_of(run), kExitEmptyPlan);
  EXPECT_EQ(summary_sentence(run).rfind("Nothing was tested: 0 planned cases", 0), 0U);
  EXPECT_NE(report_html(run).find("Nothing was tested"), std::string::npos);
}

TEST_F(OutFolder, GetsFiveFilesAndNothingHalfWritten) {
  write_all(out_);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(out_)) {
    ++files;
    EXPECT_EQ(entry.path().string().find(".part."), std::string::npos);
  }
  EXPECT_EQ(files, 7U);
  EXPECT_EQ(record::read_file(out_ / "coverage.csv"),
            record::read_file(kApproved / "coverage.csv"));
  EXPECT_EQ(exit_status(out_), 1);
}

TEST_F(OutFolder, IsRebuiltByteForByte) {
  write_all(out_);
  const std::string before = record::read_file(out_ / "report.html");
  write_all(out_);
  EXPECT_EQ(record::read_file(out_ / "report.html"), before);
}

TEST_F(OutFolder, WithoutAJournalIsARunThatAnsweredNothing) {
  std::filesystem::remove(out_ / "journal.jsonl");
  write_all(out_);
  EXPECT_NE(summary_sentence(out_).find("13 were planned and not run"), std::string::npos);
}

TEST_F(OutFolder, NamesABrokenLineAndWritesNothing) {
  std::ofstream(out_ / "journal.jsonl") << "{\"case\":\"a\"}\n{}\n";
  EXPECT_EQ(complaint(), "journal.jsonl: line 1: \"verdict\" is missing");
  EXPECT_FALSE(std::filesystem::exists(out_ / "report.html"));
}

TEST_F(OutFolder, NamesAMissingPlan) {
  std::filesystem::remove(out_ / "plan.json");
  EXPECT_EQ(complaint(), "plan.json: must be a file that can be read");
}

}  // namespace
}  // namespace plumbline::reports
