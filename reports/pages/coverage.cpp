#include <algorithm>
#include <limits>
#include <map>

#include "reports/model/text.h"
#include "reports/model/tuples.h"
#include "reports/pages/pages.h"
#include "reports/pages/render.h"

namespace plumbline::reports {
namespace {

using Counts = std::map<std::string, std::int64_t>;

/// States that are verdicts first, the worst of them on top; then the others by name.
int rank_of(const std::string& state) {
  const auto verdict = verdict_of_state(state);
  return verdict ? severity(*verdict) : std::numeric_limits<int>::max();
}

Data rows_of(const Counts& counts) {
  std::vector<std::pair<std::string, std::int64_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return rank_of(a.first) < rank_of(b.first);
  });
  Data rows(Data::type::list);
  for (const auto& [name, count] : sorted) {
    Data row;
    set_state(row, name);
    row.set("name", utf8_text(name));
    row.set("count", grouped(count));
    rows.push_back(row);
  }
  return rows;
}

void set_tuples(Data& data, const std::string& name, const TupleCoverage& coverage) {
  data.set(name, grouped(coverage.covered) + " of " + grouped(coverage.possible) + " (" +
                     brief(100 * coverage.share()) + " %)");
}

}  // namespace

std::string coverage_page(const View& view) {
  Counts states;
  Counts reasons;
  for (const CellOutcome& cell : view.cells) {
    ++states[cell.state];
    if (cell.cases == 0) ++reasons[cell.reason.empty() ? "no reason given" : cell.reason];
  }
  Counts verdicts;
  for (const VerdictInfo& row : all_verdicts()) {
    const std::int64_t count = view.counts[static_cast<std::size_t>(row.verdict)];
    if (count > 0) verdicts[std::string(row.name)] = count;
  }
  Data data;
  data.set("states", rows_of(states));
  data.set("verdicts", rows_of(verdicts));
  data.set("reasons", rows_of(reasons));
  data.set("any_reason", !reasons.empty());
  data.set("cells", grouped(static_cast<std::int64_t>(view.cells.size())));
  data.set("cases", grouped(static_cast<std::int64_t>(view.run.records.size())));
  set_tuples(data, "two", tuple_coverage(view.run, 2));
  set_tuples(data, "three", tuple_coverage(view.run, 3));
  return render("coverage.mustache", data);
}

}  // namespace plumbline::reports
