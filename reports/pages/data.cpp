#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "reports/model/text.h"
#include "reports/pages/page.h"
#include "reports/pages/render.h"

namespace plumbline::reports {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kIdParts = 5;
constexpr std::size_t kDetailed = 300;

/// A column of repeated words: the words once, and an index a row.
class Words {
 public:
  void add(const std::string& word) {
    const auto [found, added] = index_.emplace(word, words_.size());
    if (added) words_.push_back(utf8_text(word));
    rows_.push_back(found->second);
  }
  Json json() const { return Json{{"words", words_}, {"rows", rows_}}; }

 private:
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<std::string> words_;
  std::vector<std::size_t> rows_;
};

Json margin_json(const Record& record) {
  if (!has_margin(record)) return Json();
  if (!std::isfinite(record.margin)) return exact(record.margin);
  return std::stod(margin_text(record.margin));
}

/// A number with as many digits as a reader or a plot needs, or a word.
Json short_number(double value) {
  if (!std::isfinite(value)) return exact(value);
  return std::stod(brief(value));
}

/// Operation, axes, dimensions, data and seed, which repeat; what does not have five parts stays
/// whole in the first.
void split_id(const std::string& id, std::array<Words, kIdParts>& columns) {
  std::array<std::string, kIdParts> parts;
  std::size_t start = 0;
  for (std::size_t i = 0; i + 1 < kIdParts; ++i) {
    const std::size_t end = std::min(id.find('/', start), id.size());
    parts[i] = id.substr(start, end - start);
    start = std::min(end + 1, id.size());
  }
  parts.back() = id.substr(start);
  if (parts.back().empty()) parts = {id};
  for (std::size_t i = 0; i < kIdParts; ++i) columns[i].add(parts[i]);
}

Json element_json(const Record& record, const WorstElement& worst) {
  return Json{
      {"output", utf8_text(worst.output)},       {"where", utf8_text(position_text(record, worst))},
      {"expected", nine_digits(worst.expected)}, {"got", nine_digits(worst.got)},
      {"radius", brief(worst.radius)},           {"ulp", brief(worst.ulp)},
      {"margin", margin_text(worst.margin)}};
}

Json detail_json(const Record& record) {
  Json worst = Json::array();
  for (const WorstElement& element : record.worst) worst.push_back(element_json(record, element));
  Json maxima = Json::array();
  for (const double maximum : record.sketch.group_maxima) maxima.push_back(short_number(maximum));
  Json quantiles = Json::array();
  for (const double value : record.sketch.margin_quantiles) quantiles.push_back(brief(value));
  return Json{{"worst", worst},
              {"ulp", record.sketch.ulp_histogram},
              {"quantiles", quantiles},
              {"group", utf8_text(record.sketch.group)},
              {"maxima", maxima},
              {"compared", record.compared},
              {"elements", record.elements},
              {"rms", brief(record.rms_expected)},
              {"profile", utf8_text(record.profile)},
              {"path", utf8_text(record.path)}};
}

Json details_json(const Run& run) {
  Json details = Json::object();
  const auto add = [&](std::size_t index) {
    if (details.size() >= kDetailed) return;
    details.emplace(std::to_string(index), detail_json(run.records[index]));
  };
  for (const std::size_t index : by_margin(run)) {
    if (info_of(run.records[index].verdict).exit != 0) add(index);
  }
  for (const std::size_t index : by_margin(run)) add(index);
  return details;
}

Json cases_json(const View& view) {
  std::array<Words, kIdParts> id;
  Words lanes, reasons, series, options;
  Json verdicts = Json::array(), margins = Json::array(), seconds = Json::array();
  Json lengths = Json::array();
  for (const Record& record : view.run.records) {
    split_id(record.case_id, id);
    lanes.add(record.lane);
    reasons.add(record.reason);
    series.add(series_of(record));
    options.add(record.options);
    verdicts.push_back(static_cast<int>(record.verdict));
    margins.push_back(margin_json(record));
    seconds.push_back(short_number(record.seconds));
    lengths.push_back(contraction_length(record));
  }
  Json ids = Json::array();
  for (const Words& part : id) ids.push_back(part.json());
  return Json{{"id", ids},           {"lane", lanes.json()},    {"reason", reasons.json()},
              {"verdict", verdicts}, {"series", series.json()}, {"margin", margins},
              {"seconds", seconds},  {"length", lengths},       {"options", options.json()}};
}

/// The cell of each case, by its place in the matrix's list, with the name that a filter shows.
Json cells_json(const View& view) {
  Json rows = Json::array();
  for (const std::size_t cell : view.cell_of_case) rows.push_back(cell);
  Json names = Json::object();
  for (std::size_t i = 0; i < view.cells.size(); ++i) {
    if (view.cells[i].cases == 0) continue;
    const Cell& cell = view.cells[i].cell;
    std::string name = cell.domain;
    for (const std::string* field : {&cell.backend, &cell.quant, &cell.ownership, &cell.out_mode}) {
      if (!field->empty()) name += " · " + *field;
    }
    names[std::to_string(i)] = utf8_text(name);
  }
  return Json{{"rows", rows}, {"names", names}};
}

Json series_json(const View& view) {
  Json rows = Json::array();
  for (const Series& series : view.series) {
    rows.push_back(Json{{"name", utf8_text(series.name)}, {"ulp", series.ulp_histogram}});
  }
  return rows;
}

Json verdicts_json() {
  Json rows = Json::array();
  for (const VerdictInfo& row : all_verdicts()) {
    rows.push_back(Json{{"name", std::string(row.name)}, {"meaning", std::string(row.meaning)}});
  }
  return rows;
}

}  // namespace

std::string data_json(const View& view) {
  const Json json{{"cases", cases_json(view)},
                  {"cells", cells_json(view)},
                  {"series", series_json(view)},
                  {"verdicts", verdicts_json()},
                  {"details", details_json(view.run)}};
  std::string text;
  for (const char c : json.dump()) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace plumbline::reports
