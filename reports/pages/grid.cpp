#include <algorithm>
#include <map>
#include <optional>

#include "reports/model/text.h"
#include "reports/pages/pages.h"
#include "reports/pages/render.h"

namespace plumbline::reports {
namespace {

/// A state in one character, for a table of thousands.
std::string mark_of(const std::string& state) {
  const auto verdict = verdict_of_state(state);
  if (!verdict) return state == "untested" ? "?" : "·";
  const VerdictInfo& info = info_of(*verdict);
  if (info.junit == JunitState::kFailure) return "✗";
  if (info.junit == JunitState::kError) return "!";
  if (*verdict == Verdict::kNotOffered) return "·";
  if (*verdict == Verdict::kExcluded) return "x";
  if (*verdict == Verdict::kSuspicious) return "~";
  return info.junit == JunitState::kPass ? "✓" : "r";
}

using Labels = std::vector<std::string>;

void add_once(Labels& labels, const std::string& label) {
  if (std::find(labels.begin(), labels.end(), label) == labels.end()) labels.push_back(label);
}

/// The grid of the experts: runner backend down, quant across, ownership inside a field.
struct Grid {
  Labels backends, quants, ownerships;
  std::map<std::string, const CellOutcome*> cells;
};

std::string key_of(const std::string& a, const std::string& b, const std::string& c) {
  return a + '\n' + b + '\n' + c;
}

Grid grid_of(const View& view) {
  Grid grid;
  for (const CellOutcome& outcome : view.cells) {
    const Cell& cell = outcome.cell;
    if (cell.domain != "moe" || cell.ownership.empty()) continue;
    add_once(grid.backends, cell.backend);
    add_once(grid.quants, cell.quant);
    add_once(grid.ownerships, cell.ownership);
    grid.cells.emplace(key_of(cell.backend, cell.quant, cell.ownership), &outcome);
  }
  return grid;
}

Data field_of(const Grid& grid, const std::string& backend, const std::string& quant) {
  Data marks(Data::type::list);
  bool all_absent = true;
  for (const std::string& ownership : grid.ownerships) {
    const auto found = grid.cells.find(key_of(backend, quant, ownership));
    Data mark;
    set_state(mark, found == grid.cells.end() ? "not_offered" : found->second->state);
    mark.set("mark", found == grid.cells.end() ? " " : mark_of(found->second->state));
    mark.set("ownership", utf8_text(ownership));
    all_absent = all_absent && (found == grid.cells.end() || mark_of(found->second->state) == "·");
    marks.push_back(mark);
  }
  Data field("marks", marks);
  field.set("absent", all_absent);
  return field;
}

Data list_of(const Labels& labels) {
  Data list(Data::type::list);
  for (const std::string& label : labels) list.push_back(Data("label", utf8_text(label)));
  return list;
}

Data others_of(const View& view) {
  Data rows(Data::type::list);
  for (const CellOutcome& outcome : view.cells) {
    const Cell& cell = outcome.cell;
    if (cell.domain == "moe" && !cell.ownership.empty()) continue;
    Data row;
    set_state(row, outcome.state);
    set_margin(row, outcome.worst_margin);
    row.set("domain", utf8_text(cell.domain));
    row.set("backend", utf8_text(cell.backend));
    row.set("quant", utf8_text(cell.quant));
    row.set("layout", utf8_text(cell.layout));
    row.set("out", utf8_text(words_of(cell.out_mode)));
    row.set("cases", grouped(outcome.cases));
    row.set("reason", utf8_text(outcome.reason));
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

std::string grid_page(const View& view) {
  const Grid grid = grid_of(view);
  Data lines(Data::type::list);
  for (const std::string& backend : grid.backends) {
    Data fields(Data::type::list);
    for (const std::string& quant : grid.quants) fields.push_back(field_of(grid, backend, quant));
    Data line("fields", fields);
    line.set("backend", utf8_text(backend));
    lines.push_back(line);
  }
  Data data("lines", lines);
  data.set("quants", list_of(grid.quants));
  data.set("ownerships", list_of(grid.ownerships));
  data.set("any", !grid.backends.empty());
  data.set("others", others_of(view));
  data.set("total", grouped(static_cast<std::int64_t>(view.cells.size())));
  return render("grid.mustache", data);
}

}  // namespace plumbline::reports
