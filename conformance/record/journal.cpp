#include "conformance/record/journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "conformance/record/file.h"
#include "conformance/record/json.h"

namespace plumbline::record {
namespace {

Json worst_to_json(const WorstElement& worst) {
  return Json{{"output", worst.output},
              {"position", worst.position},
              {"expected", from_double(worst.expected)},
              {"got", from_double(worst.got)},
              {"radius", from_double(worst.radius)},
              {"ulp", from_double(worst.ulp)},
              {"margin", from_double(worst.margin)}};
}

WorstElement worst_from_json(const Json& json, std::string_view file, std::string_view place) {
  const Fields in(json, file, place);
  WorstElement worst;
  in.text("output", worst.output, true);
  for (const Json& index : in.array("position")) {
    worst.position.push_back(in.as_integer<std::int64_t>(index, "position"));
  }
  in.number("expected", worst.expected, true);
  in.number("got", worst.got, true);
  in.number("radius", worst.radius);
  in.number("ulp", worst.ulp);
  in.number("margin", worst.margin, true);
  return worst;
}

template <class Range>
Json doubles_to_json(const Range& values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(from_double(value));
  return json;
}

Json sketch_to_json(const Sketch& sketch) {
  Json json{{"ulp_histogram", sketch.ulp_histogram},
            {"margin_quantiles", doubles_to_json(sketch.margin_quantiles)}};
  if (!sketch.group_maxima.empty()) {
    json["group"] = sketch.group;
    json["group_maxima"] = doubles_to_json(sketch.group_maxima);
  }
  return json;
}

Sketch sketch_from_json(const Json& json, std::string_view file, std::string_view place) {
  const Fields in(json, file, place);
  Sketch sketch;
  const Json& bins = in.array("ulp_histogram");
  if (bins.size() != kUlpBins) in.fail("ulp_histogram", "must have 14 bins");
  for (std::size_t i = 0; i < bins.size(); ++i) {
    sketch.ulp_histogram[i] = in.as_integer<std::int64_t>(bins[i], "ulp_histogram");
  }
  const Json& quantiles = in.array("margin_quantiles");
  if (quantiles.size() != kMarginQuantiles) in.fail("margin_quantiles", "must have 8 values");
  for (std::size_t i = 0; i < quantiles.size(); ++i) {
    sketch.margin_quantiles[i] = in.as_double(quantiles[i], "margin_quantiles");
  }
  in.text("group", sketch.group);
  for (const Json& maximum : in.array("group_maxima")) {
    sketch.group_maxima.push_back(in.as_double(maximum, "group_maxima"));
  }
  return sketch;
}

bool is_empty(const Sketch& sketch) {
  for (const std::int64_t bin : sketch.ulp_histogram) {
    if (bin != 0) return false;
  }
  for (const double quantile : sketch.margin_quantiles) {
    if (!(quantile == 0)) return false;
  }
  return sketch.group_maxima.empty();
}

void read_verdict(const Fields& in, Record& record) {
  std::string word;
  in.text("verdict", word, true);
  const auto verdict = verdict_from_name(word);
  if (!verdict) in.fail("verdict", "must be a word of the verdict table");
  record.verdict = *verdict;
}

void read_scalars(const Fields& in, Record& record) {
  in.text("case", record.case_id, true);
  read_verdict(in, record);
  in.text("lane", record.lane, true);
  in.text("reason", record.reason, true);
  in.number("margin", record.margin, true);
  in.number("seconds", record.seconds, true);
  in.text("implementation", record.implementation);
  in.text("path", record.path);
  in.text("profile", record.profile);
  in.text("target", record.target);
  in.integer("wave", record.wave);
  in.text("device", record.device);
  in.text("options", record.options);
  in.integer("elements", record.elements);
  in.integer("compared", record.compared);
  in.number("rms_expected", record.rms_expected);
  in.text("bits", record.bits);
}

std::string place_of(std::size_t line) { return "line " + std::to_string(line); }

/// The length of the journal without the torn line at its end; a last line that is whole but lacks
/// its line end counts as whole.
std::size_t whole_length(std::string_view text) {
  const std::size_t end = text.rfind('\n');
  const std::size_t start = end == std::string_view::npos ? 0 : end + 1;
  if (start == text.size()) return start;
  return Json::accept(text.substr(start)) ? text.size() : start;
}

}  // namespace

std::string to_line(const Record& record) {
  Json json{{"case", record.case_id},
            {"verdict", std::string(name_of(record.verdict))},
            {"lane", record.lane},
            {"reason", record.reason},
            {"margin", from_double(record.margin)},
            {"seconds", from_double(record.seconds)},
            {"implementation", record.implementation},
            {"path", record.path},
            {"profile", record.profile},
            {"target", record.target},
            {"wave", record.wave},
            {"device", record.device},
            {"elements", record.elements},
            {"compared", record.compared},
            {"rms_expected", from_double(record.rms_expected)},
            {"bits", record.bits}};
  if (!record.options.empty()) json["options"] = record.options;
  if (!record.worst.empty()) {
    Json worst = Json::array();
    for (const WorstElement& element : record.worst) worst.push_back(worst_to_json(element));
    json["worst"] = std::move(worst);
  }
  if (!is_empty(record.sketch)) json["sketch"] = sketch_to_json(record.sketch);
  return text_of(json);
}

Record from_line(std::string_view text, std::string_view file, std::size_t line) {
  const std::string place = place_of(line);
  const Json json = Json::parse(text, nullptr, false);
  const Fields in(json, file, place);
  Record record;
  read_scalars(in, record);
  for (const Json& element : in.array("worst")) {
    record.worst.push_back(worst_from_json(element, file, place));
  }
  if (const Json* sketch = in.find("sketch")) {
    record.sketch = sketch_from_json(*sketch, file, place);
  }
  return record;
}

std::vector<Record> read_journal(const std::filesystem::path& file, std::string* note) {
  const std::string text = read_file(file);
  const std::string_view whole = std::string_view(text).substr(0, whole_length(text));
  std::vector<Record> records;
  std::size_t line = 1;
  for (std::size_t start = 0; start < whole.size(); ++line) {
    const std::size_t end = std::min(whole.find('\n', start), whole.size());
    const std::string_view row = whole.substr(start, end - start);
    if (!row.empty()) records.push_back(from_line(row, file.string(), line));
    start = end + 1;
  }
  if (note != nullptr && whole.size() < text.size()) {
    *note = file.string() + ": " + place_of(line) + ": torn by a run that was killed, dropped";
  }
  return records;
}

JournalWriter::JournalWriter(const std::filesystem::path& file) : file_(file.string()) {
  std::string before;
  if (std::filesystem::exists(file)) before = read_file(file);
  const std::size_t whole = whole_length(before);
  descriptor_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor_ < 0) throw BadInput(file_, std::strerror(errno), "the journal cannot be written");
  const bool cut = ::ftruncate(descriptor_, static_cast<off_t>(whole)) == 0;
  const bool open_end = whole > 0 && before[whole - 1] != '\n';
  if (!cut || (open_end && ::write(descriptor_, "\n", 1) != 1)) {
    ::close(descriptor_);
    throw BadInput(file_, std::strerror(errno), "the journal cannot be written");
  }
}

JournalWriter::~JournalWriter() { ::close(descriptor_); }

void JournalWriter::append(const Record& record) {
  const std::string line = to_line(record) + '\n';
  const std::lock_guard lock(mutex_);
  write_all(descriptor_, line, file_);
}

}  // namespace plumbline::record
