#include "reports/model/text.h"
#include "reports/pages/pages.h"
#include "reports/pages/render.h"

namespace plumbline::reports {

std::string environment_page(const View& view) {
  const RunHeader& run = view.run.plan.run;
  const double seconds = seconds_of(view.run);
  const std::vector<std::pair<std::string, std::string>> lines = {
      {"implementation", run.implementation + ' ' + run.version},
      {"target", run.target},
      {"device", run.device},
      {"wave", std::to_string(run.wave)},
      {"compiler", run.compiler},
      {"system", run.system},
      {"suite", run.suite},
      {"filter", run.filter.empty() ? "none" : run.filter},
      {"seed", std::to_string(run.seed)},
      {run.seconds > 0 ? "wall time" : "time, sum of cases", brief(seconds) + " s"},
      {"command", run.command},
  };
  Data rows(Data::type::list);
  for (const auto& [name, value] : lines) {
    Data row("name", name);
    row.set("value", utf8_text(value));
    rows.push_back(row);
  }
  return render("environment.mustache", Data("rows", rows));
}

}  // namespace plumbline::reports
