#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "conformance/cases/filter.h"
#include "conformance/cases/legal.h"
#include "conformance/inputs/inputs.h"
#include "conformance/suites/pattern.h"
#include "conformance/suites/suite.h"
#include "reference/spec/problems.h"
#include "reference/spec/status.h"

namespace plumbline::suites {
namespace {

std::vector<std::string> ids(std::string_view text) {
  std::vector<std::string> result;
  for (const Case& test_case : expand(text, "test.suite")) result.push_back(test_case.id());
  return result;
}

/// The message of the error that `text` must give.
std::string complaint(std::string_view text) {
  try {
    expand(text, "test.suite");
  } catch (const BadInput& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Suite, ExpandsAlternativesRangesAndStars) {
  EXPECT_EQ(ids("moe.route/scoring={softmax,sigmoid}/t=1,e+k={8+2,4+4}/data=*/seed=0..2").size(),
            12 * inputs::all_distributions().size());
}

TEST(Suite, KeepsTheOrderOfItsLinesAndEachCaseOnce) {
  const auto twice =
      ids("# a comment\n\nmoe.route/scoring=softmax/t={2,1}/data=sorted/seed={0,5..6} # behind\n"
          "moe.route/scoring=\\\n   softmax/t={1,3}/data=sorted/seed=0\n");
  ASSERT_EQ(twice.size(), 7U);
  EXPECT_TRUE(twice[0].find("/t=2,") != std::string::npos);
  EXPECT_TRUE(twice[1].ends_with("/seed=5"));
  EXPECT_TRUE(twice[6].find("/t=3,") != std::string::npos);
}

TEST(Suite, NamesFileLineAndRule) {
  const std::string good = "moe.route/scoring=softmax/t=1/data=sorted/seed=0\n";
  EXPECT_EQ(complaint(good), "accepted");
  const std::map<std::string, std::string> wrong = {
      {"moe.route/scoring=softmax/t=1/data=sorted", "five parts"},
      {"moe.route/scoring={softmax/t=1/data=sorted/seed=0", "brace"},
      {"moe.route/scoring=hard/t=1/data=sorted/seed=0", "scoring is"},
      {"moe.route/scoring=softmax/e=2,k=3/data=sorted/seed=0", "k <="},
      {"moe.route/scoring=softmax/t=x/data=sorted/seed=0", "t is an integer"},
      {"moe.route/scoring=softmax/t=1/data=lognormal/seed=0", "lognormal"},
      {"moe.route/scoring=softmax/t=1/data=sorted/seed=3..1", "rises"},
      {"moe.route/scoring=softmax/t=1/data=sorted/seed=0..99999999", "1000000"},
      {"moe.route/scoring=softmax/t=1,e+k={8+2+1}/data=sorted/seed=0", "as many values"},
      {"moe.route/scoring=softmax,scoring=none/t=1/data=sorted/seed=0", "once"},
      {"moe.route/scoring=softmax/t=0..9,e=10..19,k=1/data=*/seed=0..999", "200000"},
      {"moe.nothing/a=b/t=1/data=sorted/seed=0", "operation is one of"},
      {"@sample none", "@sample takes a number"},
      {"@include nothing", "no suite named"},
      {"@often 3", "@sample N"},
  };
  for (const auto& [line, rule] : wrong) {
    const std::string said = complaint(good + line + "\n");
    EXPECT_TRUE(said.starts_with("test.suite: line 2: ")) << said;
    EXPECT_NE(said.find(rule), std::string::npos) << line << " → " << said;
    EXPECT_EQ(said.find('\n'), std::string::npos);
  }
  EXPECT_NE(complaint(good + "@sample 3").find("without a pattern"), std::string::npos);
  EXPECT_THROW(load("no/such.suite"), BadInput);
}

RC_GTEST_PROP(Sample, TakesEveryChoiceOfAFactorEquallyOften, ()) {
  const Pattern pattern = parse_pattern(
      "moe.route/scoring={softmax,sigmoid,none}/t=1..4,e+k={8+2,4+4}/data=*/seed=0..4");
  const auto count = *rc::gen::inRange<std::uint64_t>(1, 200);
  const auto choices = sampled_choices(pattern, count, "salt");
  RC_ASSERT(choices.size() == count);
  for (std::size_t f = 0; f < pattern.factors.size(); ++f) {
    std::vector<std::uint64_t> taken(pattern.factors[f].choices.size(), 0);
    for (const auto& choice : choices) ++taken.at(choice[f]);
    const auto [least, most] = std::minmax_element(taken.begin(), taken.end());
    RC_ASSERT(*most - *least <= 1);
  }
}

TEST(Seed, IsAddedToEveryCase) {
  const auto plain = load("sanitizer"), shifted = load("sanitizer", 12);
  ASSERT_EQ(plain.size(), shifted.size());
  for (std::size_t n = 0; n < plain.size(); ++n) {
    EXPECT_EQ(plain[n].problem, shifted[n].problem);
    EXPECT_EQ(plain[n].seed + 12, shifted[n].seed);
  }
}

TEST(BuiltInSuites, HoldCanonicalCasesOnce) {
  for (const BuiltIn& suite : all_suites()) {
    if (suite.name == "full") continue;
    std::set<std::string> seen;
    for (const Case& test_case : load(suite.name)) {
      EXPECT_TRUE(seen.insert(test_case.id()).second) << test_case.id();
      EXPECT_EQ(*cases::canonical(test_case.problem), test_case.problem);
    }
  }
}

TEST(Smoke, HasAThousandCasesOfEveryKind) {
  const std::vector<Case> cases = load("smoke");
  EXPECT_GE(cases.size(), 1000U);
  EXPECT_LE(cases.size(), 2500U);
  const auto some = [&](const std::string& pattern) {
    const auto filter = cases::Filter::parse(pattern);
    return std::any_of(cases.begin(), cases.end(),
                       [&](const Case& test_case) { return filter.matches(test_case); });
  };
  std::vector<std::string> wanted = {
      "moe.experts,t=0",   "moe.experts,t=1",
      "moe.experts,h=130", "quant=fp8_block128",
      "out=absent",        "out=in_place",
      "out=copied",        "mask=sliding",
      "e=4,k=4",           "attention.prefill,lens=with_empty",
      "sq=33,sk=16",       "page=16,sk=50",
  };
  for (const auto op : all_operations()) {
    if (op == "moe.identity") continue;  // no tensors
    for (const auto data : inputs::all_distributions()) {
      wanted.push_back(std::string(op) + ",data=" + std::string(data));
    }
  }
  for (const std::string& pattern : wanted) EXPECT_TRUE(some(pattern)) << pattern;
}

TEST(Ci, HoldsAllOfSmokeAndFullAllOfCi) {
  const auto smoke = load("smoke"), ci = load("ci"), full = load("full");
  EXPECT_TRUE(std::equal(smoke.begin(), smoke.end(), ci.begin()));
  EXPECT_TRUE(std::equal(ci.begin(), ci.end(), full.begin()));
  EXPECT_GE(ci.size(), 3000U);
  EXPECT_EQ(full.size(), 4 * ci.size());
}

}  // namespace
}  // namespace plumbline::suites
