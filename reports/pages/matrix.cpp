#include <algorithm>
#include <functional>
#include <map>

#include "reports/model/text.h"
#include "reports/pages/pages.h"
#include "reports/pages/render.h"

namespace plumbline::reports {
namespace {

using Label = std::function<std::string(const Cell&)>;

/// One pivot of the grid: which cells, and what their rows and columns are.
struct Pivot {
  std::string title;
  std::string corner;
  std::function<bool(const Cell&)> takes;
  Label row;
  Label column;
};

bool is_offered(const CellOutcome& cell) { return cell.cases > 0 || cell.state == "untested"; }

std::size_t place_of(std::vector<std::string>& labels, const std::string& label) {
  const auto found = std::find(labels.begin(), labels.end(), label);
  if (found != labels.end()) return static_cast<std::size_t>(found - labels.begin());
  labels.push_back(label);
  return labels.size() - 1;
}

std::string or_dash(const std::string& text) { return text.empty() ? "–" : text; }

Data cell_data(const View& view, std::size_t index) {
  const CellOutcome& cell = view.cells[index];
  Data data;
  set_state(data, cell.state);
  set_margin(data, cell.worst_margin);
  data.set("index", std::to_string(index));
  std::string count = grouped(cell.cases) + (cell.cases == 1 ? " case" : " cases");
  if (cell.cases == 0) count = "no case";
  if (cell.failed > 0) count = grouped(cell.failed) + " of " + count + " failed";
  data.set("count", count);
  data.set("reason", utf8_text(cell.reason));
  return data;
}

Data table_of(const View& view, const Pivot& pivot) {
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> at;
  for (std::size_t i = 0; i < view.cells.size(); ++i) {
    const CellOutcome& cell = view.cells[i];
    if (!is_offered(cell) || !pivot.takes(cell.cell)) continue;
    const std::size_t row = place_of(rows, pivot.row(cell.cell));
    at[{row, place_of(columns, pivot.column(cell.cell))}].push_back(i);
  }
  Data heads(Data::type::list);
  for (const std::string& column : columns) heads.push_back(Data("column", utf8_text(column)));
  Data lines(Data::type::list);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    Data fields(Data::type::list);
    for (std::size_t column = 0; column < columns.size(); ++column) {
      Data inside(Data::type::list);
      for (const std::size_t index : at[{row, column}]) inside.push_back(cell_data(view, index));
      fields.push_back(Data("inside", inside));
    }
    Data line("fields", fields);
    line.set("row", utf8_text(rows[row]));
    lines.push_back(line);
  }
  Data table("heads", heads);
  table.set("lines", lines);
  table.set("title", pivot.title);
  table.set("corner", pivot.corner);
  table.set("any", !rows.empty());
  return table;
}

bool is_routing(const Cell& cell) { return cell.backend.rfind("route/", 0) == 0; }
bool is_identity(const Cell& cell) { return cell.backend.rfind("identity/", 0) == 0; }
/// What stands behind the kind of a row: "runner_backend" of "identity/runner_backend".
std::string behind_slash(const Cell& cell) {
  return cell.backend.substr(cell.backend.find('/') + 1);
}

std::vector<Pivot> pivots() {
  return {
      {"MoE experts", "runner backend · ownership",
       [](const Cell& c) { return c.domain == "moe" && !is_routing(c) && !is_identity(c); },
       [](const Cell& c) { return c.backend + " · " + or_dash(c.ownership); },
       [](const Cell& c) { return or_dash(c.quant); }},
      {"Attention", "path / mask", [](const Cell& c) { return c.domain == "attention"; },
       [](const Cell& c) { return c.backend; },
       [](const Cell& c) { return c.quant + "\nout " + or_dash(words_of(c.out_mode)); }},
      {"Routing", "scoring", [](const Cell& c) { return c.domain == "moe" && is_routing(c); },
       behind_slash, [](const Cell&) { return std::string("top-k ids and weights"); }},
      {"Identity", "tagged type", [](const Cell& c) { return c.domain == "moe" && is_identity(c); },
       behind_slash, [](const Cell&) { return std::string("every predicate of every value"); }},
      {"Others", "path", [](const Cell& c) { return c.domain != "moe" && c.domain != "attention"; },
       [](const Cell& c) { return c.domain + ' ' + c.backend; },
       [](const Cell& c) { return or_dash(c.quant); }},
  };
}

}  // namespace

std::string matrix_page(const View& view) {
  Data tables(Data::type::list);
  bool any = false;
  for (const Pivot& pivot : pivots()) {
    const Data table = table_of(view, pivot);
    any = any || table.get("any")->is_true();
    tables.push_back(table);
  }
  Data data("tables", tables);
  data.set("any", any);
  return render("matrix.mustache", data);
}

}  // namespace plumbline::reports
