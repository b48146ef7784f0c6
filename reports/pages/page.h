#pragma once
#include <span>
#include <string>
#include <string_view>

#include "reports/model/cells.h"
#include "reports/model/run.h"
#include "reports/model/series.h"

namespace plumbline::reports {

/// What all pages are made from: the run and the tables that more than one page shows.
struct View {
  const Run& run;
  std::vector<CellOutcome> cells;
  std::vector<std::size_t> cell_of_case;  ///< index into cells, one a record
  std::vector<Series> series;
  VerdictCounts counts;
};

View view_of(const Run& run);

/// One section of the report: HTML that stands by itself, is readable without scripts and has
/// escaped whatever came from outside.
struct Page {
  std::string_view id;     ///< anchor, and name of its approved file
  std::string_view title;  ///< in the navigation
  std::string (*html)(const View& view);
};

/// The pages in the order of the report.
std::span<const Page> all_pages();

/// The whole report: one HTML file that opens offline and asks nobody for anything.
std::string report_html(const Run& run);

/// Columns of the case table and of the plots as one JSON object that may stand inside a script
/// element: no "<" is left in it.
std::string data_json(const View& view);

}  // namespace plumbline::reports
