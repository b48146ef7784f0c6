#include "reports/model/cells.h"

#include <algorithm>
#include <array>
#include <map>

#include "reference/spec/status.h"

namespace plumbline::reports {
namespace {

using V = Verdict;
constexpr auto kWorstFirst = std::to_array<Verdict>({
    V::kCrash,          V::kDeviceLost,     V::kTimeout,    V::kFail,       V::kWronglyAccepted,
    V::kWrongPath,      V::kWronglyRefused, V::kWrongClass, V::kFlaky,      V::kUntrusted,
    V::kUnexpectedPass, V::kEnvironment,    V::kUnanswered, V::kSuspicious, V::kWaived,
    V::kPass,           V::kRefused,        V::kNotOffered, V::kExcluded,
});
static_assert(kWorstFirst.size() == std::tuple_size_v<VerdictCounts>);

std::string key_of(const Cell& cell) {
  std::string key;
  for (const std::string* field :
       {&cell.domain, &cell.backend, &cell.quant, &cell.ownership, &cell.a2a, &cell.dispatch_dtype,
        &cell.record_flag, &cell.scale_presence, &cell.layout, &cell.out_mode,
        &cell.execution_mode}) {
    key += *field + '\n';
  }
  return key;
}

void count(CellOutcome& outcome, const Record& record, std::size_t index) {
  const VerdictInfo& info = info_of(record.verdict);
  ++outcome.cases;
  if (info.exit != 0) ++outcome.failed;
  if (info.exit == 0 && info.junit == JunitState::kPass) ++outcome.passed;
  if (has_margin(record)) {
    const double before = outcome.worst_margin.value_or(-1);
    if (margin_rank(record.margin) > margin_rank(before)) outcome.worst_margin = record.margin;
  }
  const auto known = verdict_of_state(outcome.state);
  if (outcome.worst && known && severity(*known) <= severity(record.verdict)) return;
  outcome.state = name_of(record.verdict);
  outcome.worst = index;
  outcome.reason = record.verdict == Verdict::kPass ? "" : record.reason;
}

}  // namespace

int severity(Verdict verdict) {
  return static_cast<int>(std::find(kWorstFirst.begin(), kWorstFirst.end(), verdict) -
                          kWorstFirst.begin());
}

std::optional<Verdict> verdict_of_state(const std::string& state) {
  return verdict_from_name(state);
}

Cell cell_of_record(const Record& record) {
  try {
    return cell_of(parse_case(record.case_id).problem);
  } catch (const BadInput&) {
    Cell cell;
    cell.domain = "unreadable";
    return cell;
  }
}

CellTable cell_table(const Run& run) {
  CellTable table;
  std::map<std::string, std::size_t> index;
  const auto place = [&](const Cell& cell) {
    const auto [found, added] = index.emplace(key_of(cell), table.cells.size());
    if (added) {
      CellOutcome fresh;
      fresh.cell = cell;
      fresh.state = cell.state == "offered" ? "untested" : cell.state;
      fresh.reason = cell.state == "offered" && cell.reason.empty()
                         ? "offered, and no case of the plan falls into it"
                         : cell.reason;
      table.cells.push_back(std::move(fresh));
    }
    return found->second;
  };
  for (const Cell& cell : run.plan.cells) place(cell);
  for (std::size_t i = 0; i < run.records.size(); ++i) {
    const std::size_t at = place(cell_of_record(run.records[i]));
    table.of_record.push_back(at);
    count(table.cells[at], run.records[i], i);
  }
  return table;
}

}  // namespace plumbline::reports
