#include "reports/model/csv.h"

#include <initializer_list>

#include "reports/model/text.h"

namespace plumbline::reports {
namespace {

void add_row(std::string& csv, std::initializer_list<std::string> fields) {
  bool first = true;
  for (const std::string& field : fields) {
    if (!first) csv += ',';
    csv += csv_field(field);
    first = false;
  }
  csv += '\n';
}

std::string position_text(const WorstElement& worst) {
  std::string text;
  for (const std::int64_t index : worst.position) {
    if (!text.empty()) text += ' ';
    text += std::to_string(index);
  }
  return text;
}

std::string field_of(const std::optional<double>& margin) {
  return margin ? exact(*margin) : std::string();
}

}  // namespace

std::string coverage_csv(const Run& run) {
  std::string csv;
  add_row(csv, {"domain",         "runner_backend", "quant",          "ownership",    "a2a",
                "dispatch_dtype", "record_flag",    "scale_presence", "layout",       "out_mode",
                "execution_mode", "target",         "wave",           "device",       "state",
                "cases",          "passed",         "failed",         "worst_margin", "reason"});
  const RunHeader& head = run.plan.run;
  const CellTable table = cell_table(run);
  for (const CellOutcome& row : table.cells) {
    const Cell& cell = row.cell;
    add_row(csv, {cell.domain,
                  cell.backend,
                  cell.quant,
                  cell.ownership,
                  cell.a2a,
                  cell.dispatch_dtype,
                  cell.record_flag,
                  cell.scale_presence,
                  cell.layout,
                  cell.out_mode,
                  cell.execution_mode,
                  head.target,
                  std::to_string(head.wave),
                  head.device,
                  row.state,
                  std::to_string(row.cases),
                  std::to_string(row.passed),
                  std::to_string(row.failed),
                  field_of(row.worst_margin),
                  row.reason});
  }
  return csv;
}

std::string records_csv(const Run& run) {
  std::string csv;
  add_row(csv, {"case",         "verdict",        "lane",           "reason",    "margin",
                "seconds",      "implementation", "path",           "profile",   "target",
                "wave",         "device",         "elements",       "compared",  "rms_expected",
                "worst_output", "worst_position", "worst_expected", "worst_got", "worst_radius",
                "worst_ulp"});
  for (const Record& record : run.records) {
    const bool has = !record.worst.empty();
    const WorstElement worst = has ? record.worst.front() : WorstElement{};
    add_row(csv, {record.case_id,
                  std::string(name_of(record.verdict)),
                  record.lane,
                  record.reason,
                  has_margin(record) ? exact(record.margin) : "",
                  exact(record.seconds),
                  record.implementation,
                  record.path,
                  record.profile,
                  record.target,
                  std::to_string(record.wave),
                  record.device,
                  std::to_string(record.elements),
                  std::to_string(record.compared),
                  exact(record.rms_expected),
                  worst.output,
                  position_text(worst),
                  has ? exact(worst.expected) : "",
                  has ? exact(worst.got) : "",
                  has ? exact(worst.radius) : "",
                  has ? exact(worst.ulp) : ""});
  }
  return csv;
}

}  // namespace plumbline::reports
