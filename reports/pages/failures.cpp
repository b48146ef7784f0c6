#include <map>

#include "reports/model/text.h"
#include "reports/pages/pages.h"
#include "reports/pages/render.h"

namespace plumbline::reports {
namespace {

constexpr std::size_t kShown = 40;

/// Cases that one cause may explain: same verdict, lane and series.
struct Group {
  std::size_t first;
  std::size_t worst;
  std::int64_t count = 0;
};

std::string key_of(const Record& record) {
  const std::string order = std::to_string(100 + severity(record.verdict));
  return order + '\n' + record.lane + '\n' + series_of(record);
}

bool needs_attention(const Record& record) {
  return info_of(record.verdict).exit != 0 || record.verdict == Verdict::kSuspicious;
}

std::map<std::string, Group> groups_of(const Run& run) {
  std::map<std::string, Group> groups;
  for (std::size_t i = 0; i < run.records.size(); ++i) {
    if (!needs_attention(run.records[i])) continue;
    Group& group = groups.emplace(key_of(run.records[i]), Group{i, i}).first->second;
    ++group.count;
    const double before = margin_rank(run.records[group.worst].margin);
    if (margin_rank(run.records[i].margin) > before) group.worst = i;
  }
  return groups;
}

Data row_of(const View& view, const Group& group) {
  const Record& record = view.run.records[group.worst];
  Data row;
  set_state(row, std::string(name_of(record.verdict)));
  row.set("count", grouped(group.count));
  row.set("lane", utf8_text(record.lane));
  row.set("series", utf8_text(series_of(record)));
  row.set("reason", utf8_text(record.reason));
  row.set("replay", replay_line(record));
  row.set("index", std::to_string(group.worst));
  if (has_margin(record)) set_margin(row, record.margin);
  return row;
}

}  // namespace

std::string failures_page(const View& view) {
  const auto groups = groups_of(view.run);
  Data rows(Data::type::list);
  std::size_t shown = 0;
  for (const auto& [key, group] : groups) {
    if (shown++ < kShown) rows.push_back(row_of(view, group));
  }
  Data data;
  data.set("any", !groups.empty());
  data.set("rows", rows);
  if (groups.size() > kShown) data.set("more", std::to_string(groups.size() - kShown));
  return render("failures.mustache", data);
}

}  // namespace plumbline::reports
