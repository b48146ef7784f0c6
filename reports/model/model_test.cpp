#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "reports/model/cells.h"
#include "reports/model/csv.h"
#include "reports/model/junit.h"
#include "reports/model/run.h"
#include "reports/model/sentence.h"
#include "reports/model/series.h"
#include "reports/model/text.h"
#include "reports/model/tuples.h"

namespace plumbline::reports {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Record record(std::string id, Verdict verdict, double margin = 0) {
  Record made;
  made.case_id = std::move(id);
  made.verdict = verdict;
  made.margin = margin;
  return made;
}

std::string id(std::string_view mask, std::string_view out, int seed = 1) {
  return "attention.decode/io=bf16,mask=" + std::string(mask) + ",out=" + std::string(out) +
         "/b=1,d=64,sk=96/data=gaussian/seed=" + std::to_string(seed);
}

Run run_of(std::vector<Record> records) {
  Plan plan;
  plan.run.suite = "smoke";
  plan.run.implementation = "embedded";
  plan.run.target = "host";
  for (const Record& one : records) plan.cases.push_back(one.case_id);
  return join(std::move(plan), std::move(records));
}

TEST(Join, MakesMissingCasesUnanswered) {
  Plan plan;
  plan.cases = {"a", "b"};
  const auto run = join(plan, {record("b", Verdict::kPass)});
  ASSERT_EQ(run.records.size(), 2U);
  EXPECT_EQ(run.records[0].verdict, Verdict::kUnanswered);
  EXPECT_EQ(run.records[1].verdict, Verdict::kPass);
  EXPECT_EQ(exit_of(run), 1);
}

TEST(Join, KeepsCasesThatWereNotPlanned) {
  const auto run = join(Plan{}, {record("x", Verdict::kPass)});
  EXPECT_EQ(run.records.size(), 1U);
  EXPECT_NE(summary_sentence(run).find("and 1 that were not planned"), std::string::npos);
}

TEST(Join, CallsTwoVerdictsOnOneCaseFlaky) {
  const auto run = join(Plan{}, {record("x", Verdict::kFail), record("x", Verdict::kPass)});
  ASSERT_EQ(run.records.size(), 1U);
  EXPECT_EQ(run.records[0].verdict, Verdict::kFlaky);
  EXPECT_EQ(run.records[0].reason, "journal lines differ: fail, then pass ()");
}

TEST(Join, TakesTheAnswerOverAnAccidentOfTheEnvironment) {
  EXPECT_EQ(join(Plan{}, {record("x", Verdict::kEnvironment), record("x", Verdict::kPass)})
                .records[0]
                .verdict,
            Verdict::kPass);
  EXPECT_EQ(join(Plan{}, {record("x", Verdict::kFail), record("x", Verdict::kEnvironment)})
                .records[0]
                .verdict,
            Verdict::kFail);
}

TEST(Sentence, SaysThatAFilterAndMissingCasesMadeTheRunLess) {
  Plan plan;
  plan.run = {"smoke", "embedded", "0.1.0", "host", "host", 64, 7, "moe.*", 2, "", "", "", 0};
  plan.cases = {"a", "b"};
  EXPECT_EQ(
      summary_sentence(join(plan, {record("a", Verdict::kPass)})),
      "Failed: 2 planned cases of suite smoke (only what the filter \"moe.*\" leaves; the rest "
      "was not planned) gave 1 unanswered, 1 pass (1 was planned and not run); embedded 0.1.0 "
      "on host, wave 64, seed 7.");
}

TEST(Sentence, OfARunThatOnlyFoundNothingOfferedIsNotPassed) {
  EXPECT_EQ(outcome_word(run_of({record("a", Verdict::kNotOffered)})), "Nothing was tested");
  EXPECT_EQ(outcome_word(run_of({record("a", Verdict::kPass)})), "Passed");
  EXPECT_EQ(outcome_word(run_of({record("a", Verdict::kEnvironment)})), "No verdict");
}

TEST(Cells, TakeTheWorstVerdictOfTheirCases) {
  const CellTable table = cell_table(run_of({record(id("full", "absent", 1), Verdict::kPass, 0.5),
                                             record(id("full", "absent", 2), Verdict::kFail, 3),
                                             record(id("full", "absent", 3), Verdict::kRefused)}));
  ASSERT_EQ(table.cells.size(), 1U);
  const CellOutcome& cell = table.cells[0];
  EXPECT_EQ(cell.state, "fail");
  EXPECT_EQ(cell.cases, 3);
  EXPECT_EQ(cell.passed, 1);
  EXPECT_EQ(cell.failed, 1);
  EXPECT_EQ(cell.worst_margin, 3.0);
}

TEST(Cells, PassThoughOneOfTheirCasesIsRefused) {
  const CellTable table =
      cell_table(run_of({record(id("full", "absent", 1), Verdict::kRefused),
                         record(id("full", "absent", 2), Verdict::kPass, 0.5)}));
  EXPECT_EQ(table.cells[0].state, "pass");
}

TEST(Cells, CountNanAsTheWorstMargin) {
  const CellTable table = cell_table(run_of({record(id("full", "absent", 1), Verdict::kFail, kNan),
                                             record(id("full", "absent", 2), Verdict::kFail, 9)}));
  EXPECT_TRUE(std::isnan(table.cells[0].worst_margin.value()));
}

TEST(Cells, KeepThePlannedStateWithoutCases) {
  Plan plan;
  plan.cells = {cell_of(parse_case(id("full", "absent")).problem),
                cell_of(parse_case(id("causal", "absent")).problem)};
  plan.cells[0].state = "offered";
  plan.cells[1].state = "not_offered";
  const CellTable table = cell_table(join(plan, {}));
  EXPECT_EQ(table.cells[0].state, "untested");
  EXPECT_EQ(table.cells[1].state, "not_offered");
}

TEST(Cells, AccountForCasesWhoseIdCannotBeRead) {
  const CellTable table = cell_table(run_of({record("<b>", Verdict::kCrash)}));
  ASSERT_EQ(table.cells.size(), 1U);
  EXPECT_EQ(table.cells[0].cell.domain, "unreadable");
}

TEST(Severity, OrdersEveryVerdictOnce) {
  std::vector<int> ranks;
  for (const VerdictInfo& row : all_verdicts()) ranks.push_back(severity(row.verdict));
  std::sort(ranks.begin(), ranks.end());
  for (std::size_t i = 0; i < ranks.size(); ++i) EXPECT_EQ(ranks[i], static_cast<int>(i));
}

TEST(Tuples, CountPairsOfTheAnsweredCasesAmongThoseThePlanAllows) {
  const auto run = run_of({record(id("full", "absent"), Verdict::kPass),
                           record(id("causal", "copied"), Verdict::kPass),
                           record(id("causal", "absent"), Verdict::kUnanswered)});
  // io × mask 2, io × out 2, io × data 1, mask × out 4, mask × data 2, out × data 2.
  EXPECT_EQ(tuple_coverage(run, 2).possible, 13);
  EXPECT_EQ(tuple_coverage(run, 2).covered, 11);
  EXPECT_EQ(tuple_coverage(run, 3).possible, 4 + 4 + 2 + 2);
}

TEST(Series, NameOperationBackendAndType) {
  EXPECT_EQ(series_of(record("moe.experts/backend=triton,quant=bf16,io=f16/t=1/data=a/seed=1",
                             Verdict::kPass)),
            "moe.experts triton bf16");
  EXPECT_EQ(series_of(record(id("full", "absent"), Verdict::kPass)), "attention.decode bf16");
}

TEST(Series, TakeTheLongestSumOfACase) {
  EXPECT_EQ(contraction_length(record(id("full", "absent"), Verdict::kPass)), 96);
  EXPECT_EQ(contraction_length(record("broken", Verdict::kPass)), 0);
}

TEST(Quantile, OfNothingIsNan) {
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
  EXPECT_EQ(quantile({1, 2, 3}, 0.5), 2);
  EXPECT_EQ(quantile({1, 2, 3}, 1), 3);
}

TEST(Text, NeverRoundsAMarginToTheLimit) {
  EXPECT_EQ(margin_text(0.41349), "0.413");
  EXPECT_EQ(margin_text(0.99973), "0.9997");
  EXPECT_EQ(margin_text(1.00002), "1.00002");
  EXPECT_EQ(margin_text(1), "1");
}

TEST(Text, GroupsThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
}

TEST(Text, QuotesCsvFieldsAndKeepsThemOnOneLine) {
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"no\""), "\"say \"\"no\"\"\"");
  EXPECT_EQ(csv_field("a\nb"), "\"a b\"");
}

TEST(Text, ReplacesWhatXmlCannotHold) {
  EXPECT_EQ(xml_text("<a b='c'>&\""), "&lt;a b='c'&gt;&amp;&quot;");
  EXPECT_EQ(xml_text(std::string("\x01\x1b", 2)), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(xml_text("\xEF\xBF\xBE"), "\xEF\xBF\xBD");
  EXPECT_EQ(xml_text("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Text, KeepsWellFormedUtf8AndReplacesTheRest) {
  EXPECT_EQ(utf8_text("γₙ ≤ 1 🔧"), "γₙ ≤ 1 🔧");
  EXPECT_EQ(utf8_text("a\xC0\x80z"), "a\xEF\xBF\xBD\xEF\xBF\xBDz");
  EXPECT_EQ(utf8_text("\xF4\x90\x80\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(utf8_text("\xE2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD");
}

RC_GTEST_PROP(Text, OfAnyBytesHasNoMarkupLeft, (const std::string& bytes)) {
  const std::string escaped = xml_text(bytes);
  RC_ASSERT(escaped.find_first_of("<>\"") == std::string::npos);
  RC_ASSERT(csv_field(bytes).find_first_of("\r\n") == std::string::npos);
  RC_ASSERT(utf8_text(utf8_text(bytes)) == utf8_text(bytes));
}

RC_GTEST_PROP(Text, OfAnExactNumberReadsBack, ()) {
  const auto bits = *rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>());
  const auto value = std::bit_cast<double>(bits);
  RC_PRE(std::isfinite(value));
  RC_ASSERT(std::bit_cast<std::uint64_t>(std::strtod(exact(value).c_str(), nullptr)) == bits);
}

TEST(Junit, ListsEachVerdictAsTheTableSays) {
  const auto has = [](Verdict verdict, std::string_view text) {
    return junit_xml(run_of({record(id("full", "absent"), verdict)})).find(text) !=
           std::string::npos;
  };
  EXPECT_FALSE(has(Verdict::kExcluded, "<testcase"));
  EXPECT_TRUE(has(Verdict::kFail, "<failure type=\"fail\""));
  EXPECT_TRUE(has(Verdict::kCrash, "<error type=\"crash\""));
  EXPECT_TRUE(has(Verdict::kRefused, "<skipped message=\"refused: "));
  EXPECT_TRUE(has(Verdict::kSuspicious, "name=\"verdict\" value=\"suspicious\""));
  EXPECT_FALSE(has(Verdict::kPass, "<failure"));
}

}  // namespace
}  // namespace plumbline::reports
