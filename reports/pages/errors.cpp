#include <array>

#include "reports/model/text.h"
#include "reports/pages/pages.h"
#include "reports/pages/render.h"

namespace plumbline::reports {
namespace {

/// Share of the elements whose error is at most ½ ulp, the best that rounding once can do.
std::string within_half_ulp(const Series& series) {
  const auto& bins = series.ulp_histogram;
  std::int64_t all = 0;
  for (const std::int64_t count : bins) all += count;
  if (all == 0) return "";
  return brief(100.0 * static_cast<double>(bins[5] + bins[6] + bins[7]) / static_cast<double>(all));
}

/// (positive − negative) / (positive + negative): 0 for rounding to nearest, ±1 for truncation.
std::string sign_balance(const Series& series) {
  std::int64_t below = 0;
  std::int64_t above = 0;
  for (std::size_t i = 0; i < 6; ++i) below += series.ulp_histogram[i];
  for (std::size_t i = 7; i < 13; ++i) above += series.ulp_histogram[i];
  if (below + above == 0) return "";
  return brief(static_cast<double>(above - below) / static_cast<double>(above + below));
}

Data row_of(const Series& series) {
  Data row;
  row.set("name", utf8_text(series.name));
  row.set("cases", grouped(series.cases));
  row.set("elements", grouped(series.elements));
  row.set("median", margin_text(quantile(series.margins, 0.5)));
  row.set("p99", margin_text(quantile(series.margins, 0.99)));
  row.set("max", margin_text(quantile(series.margins, 1)));
  row.set("half", within_half_ulp(series));
  row.set("balance", sign_balance(series));
  return row;
}

}  // namespace

std::string errors_page(const View& view) {
  Data rows(Data::type::list);
  for (const Series& series : view.series) rows.push_back(row_of(series));
  Data data("rows", rows);
  data.set("any", !view.series.empty());
  return render("errors.mustache", data);
}

}  // namespace plumbline::reports
