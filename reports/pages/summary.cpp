#include "reports/model/sentence.h"
#include "reports/model/text.h"
#include "reports/pages/pages.h"
#include "reports/pages/render.h"

namespace plumbline::reports {
namespace {

std::string_view tone_of(int exit) {
  if (exit == 0) return "good";
  return exit == 1 ? "bad" : "none";
}

/// "moe.experts · token 3, element 17": where the worst margin of the passing cases stands.
std::string headroom(const View& view) {
  for (const std::size_t index : by_margin(view.run)) {
    const Record& record = view.run.records[index];
    if (record.verdict != Verdict::kPass) continue;
    return "Nearest of the passing cases to its radius: margin " + margin_text(record.margin) +
           " in " + series_of(record) + " (1 is the limit).";
  }
  return "";
}

}  // namespace

std::string summary_page(const View& view) {
  Data chips(Data::type::list);
  for (const VerdictInfo& row : all_verdicts()) {
    const std::int64_t count = view.counts[static_cast<std::size_t>(row.verdict)];
    if (count == 0) continue;
    Data chip;
    set_state(chip, std::string(row.name));
    chip.set("verdict", std::string(row.name));
    chip.set("count", grouped(count));
    chip.set("meaning", std::string(row.meaning));
    chips.push_back(chip);
  }
  Data notes(Data::type::list);
  for (const std::string& note : view.run.notes) notes.push_back(Data("note", utf8_text(note)));
  const int exit = exit_of(view.run);
  const std::string sentence = utf8_text(summary_sentence(view.run));
  const std::string word = outcome_word(view.run);
  Data data;
  data.set("tone", std::string(tone_of(exit)));
  data.set("word", word);
  data.set("rest", sentence.substr(word.size()));
  data.set("exit", std::to_string(exit));
  data.set("headroom", headroom(view));
  data.set("chips", chips);
  data.set("notes", notes);
  return render("summary.mustache", data);
}

}  // namespace plumbline::reports
