#include "conformance/suites/pattern.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "conformance/inputs/generator.h"
#include "conformance/inputs/inputs.h"

namespace plumbline::suites {
namespace {

/// Longer ranges and products than a suite may hold are refused before they are written out.
constexpr std::uint64_t kManyCases = 1'000'000;

[[noreturn]] void fail(const std::string& rule) { throw std::invalid_argument(rule); }

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

/// Splits at `separator` outside braces.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t n = 0; n < text.size(); ++n) {
    if (text[n] == '{') ++depth;
    if (text[n] == '}') --depth;
    if (depth < 0 || depth > 1) fail("braces open and close once: " + quoted(text));
    if (text[n] == separator && depth == 0) {
      pieces.push_back(text.substr(begin, n - begin));
      begin = n + 1;
    }
  }
  if (depth != 0) fail("an open brace: " + quoted(text));
  pieces.push_back(text.substr(begin));
  return pieces;
}

template <class Number>
Number number(std::string_view word, std::string_view name) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || word.starts_with('-')) {
    fail(std::string(name) + " is an integer or a range of them, not " + quoted(word));
  }
  return value;
}

void check_word(std::string_view word) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_.:-").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), allowed)) return;
  fail("expected a word of [A-Za-z0-9_.:-], not " + quoted(word));
}

/// Whether values of this part are integers, so that a..b is a range.
bool is_counted(Part part) { return part == Part::kDim || part == Part::kSeed; }

void add_range(Factor& factor, std::string_view value) {
  const std::size_t dots = value.find("..");
  const auto first = number<std::uint64_t>(value.substr(0, dots), factor.names.front());
  const auto last = number<std::uint64_t>(value.substr(dots + 2), factor.names.front());
  if (first > last) fail("a range rises: " + quoted(value));
  if (last - first >= kManyCases) fail("a range of at most 1000000 numbers: " + quoted(value));
  for (std::uint64_t n = first; n <= last; ++n) factor.choices.push_back({std::to_string(n)});
}

void add_value(Factor& factor, std::string_view value) {
  if (factor.part == Part::kData && value == "*") {
    for (const std::string_view name : inputs::all_distributions()) {
      factor.choices.push_back({std::string(name)});
    }
    return;
  }
  if (is_counted(factor.part) && factor.names.size() == 1 &&
      value.find("..") != std::string_view::npos) {
    add_range(factor, value);
    return;
  }
  std::vector<std::string> words;
  for (const std::string_view word : split(value, '+')) {
    check_word(word);
    words.emplace_back(word);
  }
  if (words.size() != factor.names.size()) {
    fail("as many values as names, joined by +: " + quoted(value));
  }
  factor.choices.push_back(std::move(words));
}

void add_values(Factor& factor, std::string_view values) {
  if (!values.starts_with('{')) {
    add_value(factor, values);
    return;
  }
  if (!values.ends_with('}')) fail("something behind a closing brace: " + quoted(values));
  for (const std::string_view value : split(values.substr(1, values.size() - 2), ',')) {
    add_value(factor, value);
  }
}

Factor parse_entry(Part part, std::string_view entry) {
  const std::size_t equals = entry.find('=');
  if (equals == std::string_view::npos) fail("expected name=values, not " + quoted(entry));
  Factor factor;
  factor.part = part;
  for (const std::string_view name : split(entry.substr(0, equals), '+')) {
    check_word(name);
    factor.names.emplace_back(name);
  }
  add_values(factor, entry.substr(equals + 1));
  return factor;
}

void set_word(Case& result, Part part, const std::string& name, const std::string& word) {
  switch (part) {
    case Part::kOp:
      result.problem.op = word;
      break;
    case Part::kAxis:
      if (!result.problem.axis(name).empty()) fail("an axis stands once: " + quoted(name));
      result.problem.axes.emplace_back(name, word);
      break;
    case Part::kDim:
      if (result.problem.dim(name)) fail("a dimension stands once: " + quoted(name));
      result.problem.dims.emplace_back(name, number<std::int64_t>(word, name));
      break;
    case Part::kData:
      result.data = word;
      break;
    case Part::kSeed:
      result.seed = number<std::uint64_t>(word, name);
      break;
  }
}

}  // namespace

std::uint64_t Pattern::size() const {
  std::uint64_t product = 1;
  for (const Factor& factor : factors) {
    product = std::min(product * factor.choices.size(), kManyCases + 1);
  }
  return product;
}

Case Pattern::at(const std::vector<std::size_t>& choice) const {
  Case result;
  for (std::size_t f = 0; f < factors.size(); ++f) {
    const auto& words = factors[f].choices[choice[f]];
    for (std::size_t n = 0; n < words.size(); ++n) {
      set_word(result, factors[f].part, factors[f].names[n], words[n]);
    }
  }
  return result;
}

Pattern parse_pattern(std::string_view line) {
  const std::vector<std::string_view> parts = split(line, '/');
  if (parts.size() != 5) fail("expected op/axes/dims/data=…/seed=…, five parts between slashes");
  Pattern pattern;
  Factor op{Part::kOp, {"op"}, {}};
  add_values(op, parts[0]);
  pattern.factors.push_back(std::move(op));
  for (const auto& [part, text] :
       {std::pair(Part::kAxis, parts[1]), std::pair(Part::kDim, parts[2])}) {
    for (const std::string_view entry : split(text, ',')) {
      pattern.factors.push_back(parse_entry(part, entry));
    }
  }
  for (const auto& [part, text, name] :
       {std::tuple(Part::kData, parts[3], "data"), std::tuple(Part::kSeed, parts[4], "seed")}) {
    Factor factor = parse_entry(part, text);
    if (factor.names != std::vector<std::string>{name}) {
      fail("expected " + std::string(name) + "=…, not " + quoted(text));
    }
    pattern.factors.push_back(std::move(factor));
  }
  return pattern;
}

std::vector<std::vector<std::size_t>> every_choice(const Pattern& pattern) {
  std::vector<std::vector<std::size_t>> all;
  std::vector<std::size_t> choice(pattern.factors.size(), 0);
  for (std::uint64_t left = pattern.size(); left > 0; --left) {
    all.push_back(choice);
    for (std::size_t f = choice.size(); f-- > 0;) {
      if (++choice[f] < pattern.factors[f].choices.size()) break;
      choice[f] = 0;
    }
  }
  return all;
}

std::vector<std::vector<std::size_t>> sampled_choices(const Pattern& pattern, std::uint64_t count,
                                                      std::string_view salt) {
  std::vector<std::vector<std::size_t>> all(count,
                                            std::vector<std::size_t>(pattern.factors.size()));
  for (std::size_t f = 0; f < pattern.factors.size(); ++f) {
    const std::size_t choices = pattern.factors[f].choices.size();
    const inputs::Stream stream(f, salt);
    std::vector<std::size_t> order(choices);
    for (std::uint64_t n = 0; n < count; ++n) {
      if (n % choices == 0) std::iota(order.begin(), order.end(), 0U);
      // One step of Fisher–Yates a case: the run's order comes about while it is used.
      const std::size_t at = n % choices;
      std::swap(order[at], order[at + stream.below(n, choices - at)]);
      all[n][f] = order[at];
    }
  }
  return all;
}

}  // namespace plumbline::suites
