#include "reports/model/text.h"
#include "reports/pages/page.h"
#include "reports/pages/render.h"
#include "reports/web/assets.h"

namespace plumbline::reports {
namespace {

/// One CSS class a verdict, with the colour of the verdict table.
std::string verdict_colours() {
  std::string css;
  for (const VerdictInfo& row : all_verdicts()) {
    css += ".v-" + std::string(row.name) + "{--c:" + std::string(row.colour) + "}\n";
  }
  return css;
}

Data sections_of(const View& view) {
  Data sections(Data::type::list);
  for (const Page& page : all_pages()) {
    Data section("id", std::string(page.id));
    section.set("title", std::string(page.title));
    section.set("html", page.html(view));
    sections.push_back(section);
  }
  return sections;
}

}  // namespace

std::string report_html(const Run& run) {
  const View view = view_of(run);
  const RunHeader& head = run.plan.run;
  Data data;
  data.set("suite", utf8_text(head.suite));
  data.set("implementation", utf8_text(head.implementation));
  data.set("style", std::string(asset("style.css")) + verdict_colours());
  data.set("sections", sections_of(view));
  data.set("data", data_json(view));
  data.set("d3", std::string(asset("d3.min.js")));
  data.set("table", std::string(asset("table.js")));
  data.set("plots", std::string(asset("plots.js")));
  return render("report.mustache", data);
}

}  // namespace plumbline::reports
