#include "reports/model/series.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "reference/spec/status.h"

namespace plumbline::reports {

std::string series_of(const Record& record) {
  try {
    const Problem problem = parse_case(record.case_id).problem;
    std::string name = problem.op;
    for (const std::string_view axis : {"backend", "scoring", "quant", "io", "logits"}) {
      const std::string_view word = problem.axis(axis);
      if (word.empty() || (axis == "io" && !problem.axis("quant").empty())) continue;
      name += ' ' + std::string(word);
    }
    return name;
  } catch (const BadInput&) {
    return "unreadable";
  }
}

std::vector<Series> all_series(const Run& run) {
  std::vector<Series> series;
  std::unordered_map<std::string, std::size_t> index;
  for (const Record& record : run.records) {
    if (!has_margin(record)) continue;
    const auto [found, added] = index.emplace(series_of(record), series.size());
    if (added) {
      series.emplace_back();
      series.back().name = found->first;
    }
    Series& row = series[found->second];
    ++row.cases;
    row.elements += record.compared;
    row.margins.push_back(record.margin);
    for (std::size_t i = 0; i < row.ulp_histogram.size(); ++i) {
      row.ulp_histogram[i] += record.sketch.ulp_histogram[i];
    }
  }
  std::sort(series.begin(), series.end(),
            [](const Series& a, const Series& b) { return a.name < b.name; });
  for (Series& row : series) {
    std::sort(row.margins.begin(), row.margins.end(),
              [](double a, double b) { return margin_rank(a) < margin_rank(b); });
  }
  return series;
}

std::int64_t contraction_length(const Record& record) {
  try {
    const Problem problem = parse_case(record.case_id).problem;
    const auto longest = [&](std::string_view a, std::string_view b) {
      return std::max(problem.dim(a).value_or(0), problem.dim(b).value_or(0));
    };
    if (problem.op == "moe.experts") return longest("h", "i");
    if (problem.op == "moe.route") return longest("e", "e");
    return longest("d", "sk");
  } catch (const BadInput&) {
    return 0;
  }
}

double quantile(const std::vector<double>& sorted, double q) {
  if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(std::clamp(q, 0.0, 1.0) * last + 0.5)];
}

}  // namespace plumbline::reports
