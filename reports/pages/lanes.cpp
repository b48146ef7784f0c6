#include <array>
#include <map>

#include "reports/model/text.h"
#include "reports/pages/pages.h"
#include "reports/pages/render.h"

namespace plumbline::reports {
namespace {

struct LaneText {
  std::string_view lane;
  std::string_view text;
};

constexpr auto kLanes = std::to_array<LaneText>({
    {"bitwise",
     "The inputs are such that every product and every sum is exact in the accumulator, in any "
     "order. Expected and got must be the same bits; the radius is 0."},
    {"W",
     "Rigorous. The radius is run through the same graph as the value: n additions in an "
     "accumulator with unit roundoff u cost γₙ = n·u / (1 − n·u) times the sum of magnitudes, each "
     "rounding that the profile names adds its half ulp, and each non-linear step passes its input "
     "radius on by its largest slope. A theorem under the profile, whatever the order of the "
     "sums."},
    {"S",
     "Calibrated. Roundings are taken as independent, so radii add as squares; used for "
     "random-like data only. Outside S and inside W is suspicious, unless a probe confirmed the "
     "profile."},
    {"route",
     "Top-k is judged as a choice: each set of experts is admissible whose scores are not "
     "certainly "
     "below a score left out. Weights are judged on the implementation's own choice."},
    {"guard",
     "Each buffer ends at an unmapped page and in the repeat starts at one; the rest of its page "
     "is "
     "poison. Inputs must be unchanged. No number is involved."},
    {"contract",
     "Which problems must be accepted, may be refused or must be refused, and with which class."},
    {"determinism", "The same case twice must give the same bits."},
    {"relation",
     "Two runs of the implementation must agree as the relation says; no reference is involved."},
});

std::string_view text_of(const std::string& lane) {
  for (const LaneText& row : kLanes) {
    if (lane == row.lane) return row.text;
  }
  const std::string_view family = std::string_view(lane).substr(0, lane.find(':'));
  for (const LaneText& row : kLanes) {
    if (family == row.lane) return row.text;
  }
  return "";
}

}  // namespace

std::string lanes_page(const View& view) {
  std::map<std::string, std::int64_t> lanes;
  std::map<std::string, std::int64_t> profiles;
  for (const Record& record : view.run.records) {
    if (!record.lane.empty()) ++lanes[record.lane];
    if (!record.profile.empty()) ++profiles[record.profile];
  }
  const auto list = [](const std::map<std::string, std::int64_t>& counts) {
    Data rows(Data::type::list);
    for (const auto& [name, count] : counts) {
      Data row("name", utf8_text(name));
      row.set("count", grouped(count));
      row.set("text", std::string(text_of(name)));
      rows.push_back(row);
    }
    return rows;
  };
  Data data("lanes", list(lanes));
  data.set("profiles", list(profiles));
  data.set("any", !lanes.empty());
  return render("lanes.mustache", data);
}

}  // namespace plumbline::reports
