#include "reports/model/summary.h"

#include <map>
#include <nlohmann/json.hpp>

#include "reports/model/cells.h"
#include "reports/model/sentence.h"
#include "reports/model/tuples.h"

namespace plumbline::reports {
namespace {

using Json = nlohmann::ordered_json;

Json tuples_json(const TupleCoverage& coverage) {
  return Json{
      {"covered", coverage.covered}, {"possible", coverage.possible}, {"share", coverage.share()}};
}

Json cells_json(const Run& run) {
  const std::vector<CellOutcome> outcomes = cell_table(run).cells;
  std::map<std::string, std::int64_t> states;
  for (const CellOutcome& row : outcomes) ++states[row.state];
  Json json{{"total", outcomes.size()}};
  for (const auto& [state, count] : states) json[state] = count;
  return json;
}

}  // namespace

std::string summary_json(const Run& run) {
  const RunHeader& head = run.plan.run;
  const VerdictCounts counts = count_verdicts(run.records);
  Json verdicts;
  for (const VerdictInfo& row : all_verdicts()) {
    verdicts[std::string(row.name)] = counts[static_cast<std::size_t>(row.verdict)];
  }
  const double seconds = seconds_of(run);
  const auto answered = static_cast<std::int64_t>(run.records.size()) -
                        counts[static_cast<std::size_t>(Verdict::kUnanswered)];
  const Json json{
      {"suite", head.suite},
      {"implementation", head.implementation},
      {"target", head.target},
      {"wave", head.wave},
      {"device", head.device},
      {"seed", head.seed},
      {"filter", head.filter},
      {"sentence", summary_sentence(run)},
      {"exit", exit_of(run)},
      {"planned", run.plan.cases.size()},
      {"cases", answered},
      {"verdicts", verdicts},
      {"cells", cells_json(run)},
      {"two_way", tuples_json(tuple_coverage(run, 2))},
      {"three_way", tuples_json(tuple_coverage(run, 3))},
      {"seconds", seconds},
      {"cases_per_second", seconds > 0 ? static_cast<double>(answered) / seconds : 0.0}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace plumbline::reports
