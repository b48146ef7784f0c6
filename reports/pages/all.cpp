#include <array>

#include "reports/pages/page.h"
#include "reports/pages/pages.h"

namespace plumbline::reports {

std::span<const Page> all_pages() {
  static constexpr auto kPages = std::to_array<Page>({
      {"summary", "Summary", summary_page},
      {"failures", "Failures", failures_page},
      {"matrix", "Matrix", matrix_page},
      {"worst", "Worst cases", worst_page},
      {"errors", "Errors", errors_page},
      {"lanes", "Radii", lanes_page},
      {"coverage", "Coverage", coverage_page},
      {"grid", "Full grid", grid_page},
      {"environment", "Environment", environment_page},
      {"cases", "All cases", cases_page},
  });
  return kPages;
}

}  // namespace plumbline::reports
