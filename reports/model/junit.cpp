#include "reports/model/junit.h"

#include <map>
#include <vector>

#include "reports/model/sentence.h"
#include "reports/model/text.h"

namespace plumbline::reports {
namespace {

struct Suite {
  std::vector<const Record*> records;
  std::int64_t failures = 0;
  std::int64_t errors = 0;
  std::int64_t skipped = 0;
  double seconds = 0;
};

std::string attribute(std::string_view name, std::string_view value) {
  return ' ' + std::string(name) + "=\"" + xml_text(value) + '"';
}

std::string counts(std::int64_t tests, const Suite& suite) {
  return attribute("tests", std::to_string(tests)) +
         attribute("failures", std::to_string(suite.failures)) +
         attribute("errors", std::to_string(suite.errors)) +
         attribute("skipped", std::to_string(suite.skipped)) +
         attribute("time", exact(suite.seconds));
}

std::string element_text(const WorstElement& worst) {
  std::string text = worst.output + '[';
  for (std::size_t i = 0; i < worst.position.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(worst.position[i]);
  }
  return text + "]: expected " + exact(worst.expected) + " ± " + brief(worst.radius) + ", got " +
         exact(worst.got) + ", " + brief(worst.ulp) + " ulp, margin " + margin_text(worst.margin) +
         '\n';
}

std::string body(const Record& record) {
  std::string text = record.lane.empty() ? "" : "lane " + record.lane + ": ";
  text += record.reason + '\n';
  for (const WorstElement& worst : record.worst) text += element_text(worst);
  return text + "./plumbline replay '" + record.case_id + "'" + record.options + '\n';
}

std::string problem_element(std::string_view tag, const Record& record) {
  return "      <" + std::string(tag) + attribute("type", name_of(record.verdict)) +
         attribute("message", record.reason) + '>' + xml_text(body(record)) + "</" +
         std::string(tag) + ">\n";
}

std::string inside(const Record& record) {
  switch (info_of(record.verdict).junit) {
    case JunitState::kFailure:
      return problem_element("failure", record);
    case JunitState::kError:
      return problem_element("error", record);
    case JunitState::kSkipped:
      return "      <skipped" +
             attribute("message", std::string(name_of(record.verdict)) + ": " + record.reason) +
             "/>\n";
    default:
      if (record.verdict == Verdict::kPass) return "";
      return "      <properties><property name=\"verdict\"" +
             attribute("value", name_of(record.verdict)) + "/><property name=\"reason\"" +
             attribute("value", record.reason) + "/></properties>\n";
  }
}

std::string case_element(const Record& record, const std::string& suite) {
  const std::string content = inside(record);
  const std::string open = "    <testcase" + attribute("classname", suite) +
                           attribute("name", record.case_id) +
                           attribute("time", exact(record.seconds));
  return content.empty() ? open + "/>\n" : open + ">\n" + content + "    </testcase>\n";
}

void count(Suite& suite, const Record& record) {
  const JunitState state = info_of(record.verdict).junit;
  suite.failures += state == JunitState::kFailure ? 1 : 0;
  suite.errors += state == JunitState::kError ? 1 : 0;
  suite.skipped += state == JunitState::kSkipped ? 1 : 0;
  suite.seconds += record.seconds;
}

std::string run_properties(const Run& run) {
  const RunHeader& head = run.plan.run;
  std::string xml = "    <properties>\n";
  const std::vector<std::pair<std::string_view, std::string>> rows = {
      {"summary", summary_sentence(run)},
      {"implementation", head.implementation},
      {"target", head.target},
      {"wave", std::to_string(head.wave)},
      {"device", head.device},
      {"seed", std::to_string(head.seed)},
      {"filter", head.filter},
  };
  for (const auto& [name, value] : rows) {
    xml += "      <property" + attribute("name", name) + attribute("value", value) + "/>\n";
  }
  return xml + "    </properties>\n";
}

}  // namespace

std::string junit_xml(const Run& run) {
  std::map<std::string, Suite> suites;
  Suite all;
  for (const Record& record : run.records) {
    if (info_of(record.verdict).junit == JunitState::kNotListed) continue;
    Suite& suite = suites[record.case_id.substr(0, record.case_id.find('/'))];
    suite.records.push_back(&record);
    all.records.push_back(&record);
    count(suite, record);
    count(all, record);
  }
  const auto size_of = [](const Suite& s) { return static_cast<std::int64_t>(s.records.size()); };
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" +
                    attribute("name", "plumbline " + run.plan.run.suite) +
                    counts(size_of(all), all) + ">\n";
  for (const auto& [name, suite] : suites) {
    xml += "  <testsuite" + attribute("name", name) + counts(size_of(suite), suite) + ">\n";
    xml += run_properties(run);
    for (const Record* record : suite.records) xml += case_element(*record, name);
    xml += "  </testsuite>\n";
  }
  return xml + "</testsuites>\n";
}

}  // namespace plumbline::reports
