#pragma once
#include <string>

#include "reports/pages/page.h"

namespace plumbline::reports {

std::string summary_page(const View& view);      ///< the sentence, and a count of each verdict
std::string failures_page(const View& view);     ///< what fails the run, alike cases together
std::string matrix_page(const View& view);       ///< offered cells: state and worst margin
std::string worst_page(const View& view);        ///< the cases nearest to or beyond their radius
std::string errors_page(const View& view);       ///< ulp histograms, margins by path and length
std::string lanes_page(const View& view);        ///< where the radius of each lane comes from
std::string coverage_page(const View& view);     ///< the ledger: every cell and case accounted for
std::string grid_page(const View& view);         ///< the full grid, offered or not
std::string environment_page(const View& view);  ///< where and how it was run
std::string cases_page(const View& view);        ///< every case, sortable and filterable

}  // namespace plumbline::reports
