#include "conformance/suites/suite.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <unordered_set>

#include "conformance/cases/legal.h"
#include "conformance/inputs/inputs.h"
#include "conformance/suites/pattern.h"
#include "reference/spec/status.h"

namespace plumbline::suites {
namespace {

constexpr std::uint64_t kMostCases = 200'000;
constexpr std::uint64_t kSeedStep = 1000;  ///< between the rounds of @repeat
constexpr int kDeepest = 8;                ///< @include of @include …

const BuiltIn* find_built_in(std::string_view name) {
  for (const BuiltIn& suite : all_suites()) {
    if (suite.name == name) return &suite;
  }
  return nullptr;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// Goes through the text line by line; a rule that is broken names the line.
class Expander {
 public:
  Expander(std::string_view file, int depth) : file_(file), depth_(depth) {}

  std::vector<Case> expand(std::string_view text) {
    std::istringstream lines{std::string(text)};
    std::string line, joined;
    for (std::size_t n = 1; std::getline(lines, line); ++n) {
      if (joined.empty()) line_ = n;
      joined += trimmed(std::string_view(line).substr(0, line.find('#')));
      if (joined.ends_with('\\')) {
        joined.pop_back();
        continue;
      }
      statement(joined);
      joined.clear();
    }
    if (!joined.empty()) fail("the last line ends in \\");
    if (sample_ != 0) fail("@sample without a pattern behind it");
    return std::move(cases_);
  }

 private:
  [[noreturn]] void fail(const std::string& rule) const {
    throw BadInput(file_, "line " + std::to_string(line_), rule);
  }

  void statement(std::string_view text) {
    if (text.empty()) return;
    if (text.starts_with('@')) {
      directive(text);
      return;
    }
    try {
      pattern(text);
    } catch (const std::invalid_argument& error) {
      fail(error.what());
    }
  }

  void directive(std::string_view text) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    const std::string_view value = trimmed(text.substr(space));
    if (word == "@sample") {
      sample_ = count(word, value);
    } else if (word == "@include") {
      include(value);
    } else if (word == "@repeat") {
      repeat(count(word, value));
    } else {
      fail("@sample N, @include NAME or @repeat N, not \"" + std::string(word) + "\"");
    }
  }

  std::uint64_t count(std::string_view word, std::string_view value) const {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc{} || end != value.data() + value.size() || number == 0 ||
        number > kMostCases) {
      fail(std::string(word) + " takes a number from 1 to " + std::to_string(kMostCases));
    }
    return number;
  }

  void include(std::string_view name) {
    const BuiltIn* suite = find_built_in(name);
    if (suite == nullptr) fail("no suite named \"" + std::string(name) + "\" to include");
    if (depth_ >= kDeepest) fail("suites include each other too deeply");
    for (Case& included : Expander(suite->name, depth_ + 1).expand(suite->text)) {
      add(std::move(included));
    }
  }

  void repeat(std::uint64_t rounds) {
    const std::vector<Case> once = cases_;
    for (std::uint64_t round = 1; round < rounds; ++round) {
      for (Case again : once) {
        again.seed += kSeedStep * round;
        add(std::move(again));
      }
    }
  }

  void pattern(std::string_view text) {
    const Pattern parsed = parse_pattern(text);
    const std::uint64_t size = parsed.size();
    const bool all = sample_ == 0 || sample_ >= size;
    if (all && size > kMostCases) {
      fail("a pattern gives at most " + std::to_string(kMostCases) + " cases");
    }
    const auto choices = all ? every_choice(parsed) : sampled_choices(parsed, sample_, text);
    sample_ = 0;
    for (const auto& choice : choices) {
      Case test_case = parsed.at(choice);
      Result<Problem> problem = cases::canonical(test_case.problem);
      if (!problem) fail(problem.refusal().text() + " in " + test_case.id());
      test_case.problem = std::move(problem).value();
      check_data(test_case.data);
      add(std::move(test_case));
    }
  }

  void check_data(const std::string& data) const {
    const auto names = inputs::all_distributions();
    if (std::find(names.begin(), names.end(), data) == names.end()) {
      fail("no distribution named \"" + data + "\"");
    }
  }

  void add(Case test_case) {
    if (cases_.size() >= kMostCases) {
      fail("a suite holds at most " + std::to_string(kMostCases) + " cases");
    }
    if (seen_.insert(test_case.id()).second) cases_.push_back(std::move(test_case));
  }

  std::string file_;
  int depth_;
  std::size_t line_ = 0;
  std::uint64_t sample_ = 0;
  std::vector<Case> cases_;
  std::unordered_set<std::string> seen_;
};

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    std::string rule = "neither a file nor a suite of";
    for (const BuiltIn& suite : all_suites()) rule += " " + std::string(suite.name);
    throw BadInput("suite", "\"" + path + "\"", rule);
  }
  return text.str();
}

}  // namespace

std::vector<Case> expand(std::string_view text, std::string_view file, std::uint64_t seed) {
  std::vector<Case> cases = Expander(file, 0).expand(text);
  for (Case& test_case : cases) test_case.seed += seed;
  return cases;
}

std::vector<Case> load(std::string_view name_or_file, std::uint64_t seed) {
  if (const BuiltIn* suite = find_built_in(name_or_file)) {
    return expand(suite->text, suite->name, seed);
  }
  return expand(read_file(std::string(name_or_file)), name_or_file, seed);
}

}  // namespace plumbline::suites
