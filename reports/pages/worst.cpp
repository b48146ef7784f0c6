#include "reports/model/text.h"
#include "reports/pages/pages.h"
#include "reports/pages/render.h"

namespace plumbline::reports {
namespace {

constexpr std::size_t kShown = 12;

Data row_of(const Record& record, std::size_t index) {
  Data row;
  set_state(row, std::string(name_of(record.verdict)));
  set_margin(row, record.margin);
  row.set("index", std::to_string(index));
  row.set("lane", utf8_text(record.lane));
  row.set("series", utf8_text(series_of(record)));
  row.set("profile", utf8_text(record.profile));
  row.set("replay", replay_line(record));
  if (record.worst.empty()) return row;
  const WorstElement& worst = record.worst.front();
  row.set("output", utf8_text(worst.output));
  row.set("position", utf8_text(position_text(record, worst)));
  row.set("expected", nine_digits(worst.expected));
  row.set("got", nine_digits(worst.got));
  row.set("radius", brief(worst.radius));
  row.set("ulp", brief(worst.ulp));
  return row;
}

}  // namespace

std::string worst_page(const View& view) {
  Data rows(Data::type::list);
  const std::vector<std::size_t> order = by_margin(view.run);
  for (std::size_t i = 0; i < order.size() && i < kShown; ++i) {
    rows.push_back(row_of(view.run.records[order[i]], order[i]));
  }
  Data data("rows", rows);
  data.set("any", !order.empty());
  return render("worst.mustache", data);
}

}  // namespace plumbline::reports
