#pragma once
#include <kainjow/mustache.hpp>
#include <string>
#include <string_view>

#include "reports/pages/page.h"

/// What the pages share: templates and the way a state, a margin and a case are shown.
namespace plumbline::reports {

using Data = kainjow::mustache::data;

/// Fills a template of reports/web; `{{name}}` escapes. Throws ContractViolation for a template
/// that does not parse.
std::string render(std::string_view template_file, const Data& data);

/// "wrongly_refused" → "wrongly refused".
std::string words_of(std::string_view state);

/// Sets `state`, its words and its CSS class, which is "v-none" for a state that is no verdict.
void set_state(Data& to, const std::string& state);

/// Sets `margin` ("0.413") and `bar`, the width of its bar in percent; nothing where there is none.
void set_margin(Data& to, const std::optional<double>& margin);

/// "token 3, element 17": what the indices of an output count, by operation and output.
std::string position_text(const Record& record, const WorstElement& worst);

/// What to type to see a case again, quoted for the shell.
std::string replay_line(const Record& record);

/// Indices of records, the worst margin first; equal ones in the order of the run. NaN is worst.
std::vector<std::size_t> by_margin(const Run& run);

}  // namespace plumbline::reports
