#include "reports/model/text.h"
#include "reports/pages/pages.h"
#include "reports/pages/render.h"

namespace plumbline::reports {

std::string cases_page(const View& view) {
  Data verdicts(Data::type::list);
  for (const VerdictInfo& row : all_verdicts()) {
    const std::int64_t count = view.counts[static_cast<std::size_t>(row.verdict)];
    if (count == 0) continue;
    Data option("name", std::string(row.name));
    option.set("words", words_of(row.name));
    option.set("count", grouped(count));
    verdicts.push_back(option);
  }
  Data data("verdicts", verdicts);
  data.set("total", grouped(static_cast<std::int64_t>(view.run.records.size())));
  return render("cases.mustache", data);
}

}  // namespace plumbline::reports
