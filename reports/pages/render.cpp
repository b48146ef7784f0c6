#include "reports/pages/render.h"

#include <algorithm>
#include <array>
#include <utility>

#include "reference/spec/status.h"
#include "reports/model/text.h"
#include "reports/web/assets.h"

namespace plumbline::reports {
namespace {

/// Names of the indices of one output, outermost first.
struct Indices {
  std::string_view op;
  std::string_view output;
  std::array<std::string_view, 3> names;
};

constexpr auto kIndices = std::to_array<Indices>({
    {"moe.experts", "out", {"token", "element", ""}},
    {"moe.route", "topk_ids", {"token", "choice", ""}},
    {"moe.route", "topk_weights", {"token", "choice", ""}},
    {"attention.prefill", "out", {"query row", "head", "element"}},
    {"attention.prefill", "lse", {"head", "query row", ""}},
    {"attention.decode", "out", {"sequence", "head", "element"}},
    {"attention.decode", "lse", {"head", "sequence", ""}},
});

std::string_view index_name(const Record& record, const WorstElement& worst, std::size_t axis) {
  const std::string_view op = std::string_view(record.case_id).substr(0, record.case_id.find('/'));
  for (const Indices& row : kIndices) {
    if (row.op == op && row.output == worst.output && axis < row.names.size()) {
      return row.names[axis];
    }
  }
  return "";
}

}  // namespace

View view_of(const Run& run) {
  CellTable table = cell_table(run);
  return View{run, std::move(table.cells), std::move(table.of_record), all_series(run),
              count_verdicts(run.records)};
}

std::string render(std::string_view template_file, const Data& data) {
  kainjow::mustache::mustache parsed{std::string(asset(template_file))};
  if (!parsed.is_valid()) {
    throw ContractViolation(std::string(template_file) + ": " + parsed.error_message());
  }
  return parsed.render(data);
}

std::string words_of(std::string_view state) {
  std::string words(state);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

void set_state(Data& to, const std::string& state) {
  const bool known = verdict_of_state(state).has_value();
  to.set("state", words_of(utf8_text(state)));
  to.set("class", "v-" + (known ? state : std::string("none")));
}

void set_margin(Data& to, const std::optional<double>& margin) {
  if (!margin) return;
  to.set("margin", margin_text(*margin));
  const double share = std::min(margin_rank(*margin), 1.0);
  to.set("bar", std::to_string(static_cast<int>(100 * std::max(share, 0.0))));
}

std::string position_text(const Record& record, const WorstElement& worst) {
  std::string text;
  for (std::size_t axis = 0; axis < worst.position.size(); ++axis) {
    const std::string_view name = index_name(record, worst, axis);
    if (axis > 0) text += ", ";
    if (!name.empty()) text += std::string(name) + ' ';
    text += std::to_string(worst.position[axis]);
  }
  return text;
}

std::string replay_line(const Record& record) {
  std::string quoted;
  for (const char c : utf8_text(record.case_id)) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return "./plumbline replay '" + quoted + '\'' + utf8_text(record.options);
}

std::vector<std::size_t> by_margin(const Run& run) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < run.records.size(); ++i) {
    if (has_margin(run.records[i])) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return margin_rank(run.records[a].margin) > margin_rank(run.records[b].margin);
  });
  return order;
}

}  // namespace plumbline::reports
