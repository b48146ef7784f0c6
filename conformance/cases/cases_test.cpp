#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "conformance/cases/axes.h"
#include "conformance/cases/filter.h"
#include "conformance/cases/grid.h"
#include "conformance/cases/legal.h"
#include "reference/spec/ids.h"
#include "reference/spec/problems.h"

namespace plumbline::cases {
namespace {

Case any_case() {
  Case result;
  ExpertsProblem experts;
  AttentionProblem attention;
  const auto backends = all_runner_backends();
  experts.backend = backends[*rc::gen::inRange<std::size_t>(0, backends.size())].name;
  const auto quants = all_quant_schemes();
  experts.quant = quants[*rc::gen::inRange<std::size_t>(0, quants.size())].name;
  experts.t = *rc::gen::inRange(0, 200);
  attention.decode = *rc::gen::arbitrary<bool>();
  attention.mask = *rc::gen::element(Mask::kFull, Mask::kCausal);
  attention.sk = *rc::gen::inRange(0, 200);
  result.problem = *rc::gen::arbitrary<bool>() ? experts.to_problem() : attention.to_problem();
  result.data = *rc::gen::element<std::string>("gaussian", "sorted", "exact_integers");
  result.seed = *rc::gen::arbitrary<std::uint64_t>();
  return result;
}

Manifest claims_nothing() {
  Manifest manifest;
  manifest.name = "empty";
  return manifest;
}

RC_GTEST_PROP(Filter, TakesItsOwnCase, ()) {
  const Case test_case = any_case();
  RC_ASSERT(Filter::parse(test_case.id()).matches(test_case));
}

RC_GTEST_PROP(Filter, TakesEveryPrefixThatEndsAtAPiece, ()) {
  const Case test_case = any_case();
  const std::string id = test_case.id();
  const auto cut = id.find_first_of("/,", *rc::gen::inRange<std::size_t>(0, id.size()));
  RC_ASSERT(Filter::parse(id.substr(0, cut)).matches(test_case));
}

RC_GTEST_PROP(Filter, MorePiecesNeverTakeMoreCases, ()) {
  const Case a = any_case(), b = any_case();
  const std::string wider = a.problem.op;
  const std::string narrower = wider + ",data=" + a.data + ",seed=" + std::to_string(a.seed);
  RC_ASSERT(!Filter::parse(narrower).matches(b) || Filter::parse(wider).matches(b));
}

RC_GTEST_PROP(Canonical, IsReachedInOneStepAndReadsBack, ()) {
  const Case test_case = any_case();
  RC_ASSERT(*canonical(test_case.problem) == test_case.problem);
  RC_ASSERT(case_from_id(test_case.id()) == test_case);
}

TEST(Filter, ReadsTheExamplesOfItsHeader) {
  const Case moe = case_from_id("moe.experts/quant=fp8_block128/t=33/data=sorted/seed=0");
  const Case causal = case_from_id("attention.decode/mask=causal/b=1/data=gaussian/seed=0");
  const Case full = case_from_id("attention.decode/mask=full/b=1/data=gaussian/seed=0");
  EXPECT_TRUE(Filter::parse("").matches(moe));
  EXPECT_TRUE(Filter::parse("*").matches(moe));
  EXPECT_TRUE(Filter::parse("moe.*").matches(moe));
  EXPECT_FALSE(Filter::parse("moe.*").matches(causal));
  EXPECT_TRUE(Filter::parse("attention.*,mask=causal").matches(causal));
  EXPECT_FALSE(Filter::parse("attention.*,mask=causal").matches(full));
  EXPECT_TRUE(Filter::parse("moe.experts/backend=triton,quant=fp8_*").matches(moe));
  EXPECT_FALSE(Filter::parse("quant=bf16,t=33").matches(moe));
  EXPECT_TRUE(Filter::parse("t=33,data=sorted,seed=0").matches(moe));
  EXPECT_FALSE(Filter::parse("t=3").matches(moe)) << "a value is matched whole";
  EXPECT_FALSE(Filter::parse("dialect=hcu").matches(moe)) << "an axis that it does not have";
}

TEST(Filter, RefusesWhatItCannotRead) {
  for (const auto pattern : {"moe.experts/quant", "moe experts", "moe.*/=3", "quant=", "t=[1]"}) {
    EXPECT_THROW(Filter::parse(pattern), BadInput) << pattern;
  }
}

TEST(Glob, MatchesRunsAnywhere) {
  EXPECT_TRUE(glob_matches("a*b*c", "a__b_b_c"));
  EXPECT_FALSE(glob_matches("a*b", "a__b_"));
  EXPECT_TRUE(glob_matches("**", ""));
  EXPECT_FALSE(glob_matches("", "x"));
}

TEST(CaseFromId, NamesTheRuleThatIsBroken) {
  for (const auto id : {"moe.nothing/a=b/t=1/data=gaussian/seed=0",
                        "moe.experts/colour=red/t=1/data=gaussian/seed=0",
                        "moe.experts/quant=bf16/t=1/data=lognormal/seed=0",
                        "moe.experts/quant=bf16/e=2,k=3/data=gaussian/seed=0", "moe.experts"}) {
    EXPECT_THROW(case_from_id(id), BadInput) << id;
  }
}

TEST(Axes, AreThoseThatThePrintedProblemsHave) {
  const auto listed = [](std::string_view op, std::string_view name) {
    for (const Axis& axis : all_axes()) {
      if (axis.name == name && glob_matches(axis.op, op)) return true;
    }
    return false;
  };
  AttentionProblem sliding;
  sliding.mask = Mask::kSliding;
  sliding.w = 4;
  AttentionProblem decode;
  decode.decode = true;
  for (const Problem& problem : {RouteProblem{}.to_problem(), ExpertsProblem{}.to_problem(),
                                 sliding.to_problem(), decode.to_problem()}) {
    for (const auto& [name, word] : problem.axes) EXPECT_TRUE(listed(problem.op, name)) << name;
    for (const auto& [name, n] : problem.dims) EXPECT_TRUE(listed(problem.op, name)) << name;
  }
}

TEST(CaseFromId, RefusesWhatNoMachineHoldsBeforeAnythingIsMade) {
  const std::string data = "/data=gaussian/seed=0";
  for (const std::string problem :
       {"moe.experts/act=silu/h=16777216,i=40", "moe.experts/act=silu/e=1000000,h=1024",
        "moe.route/bias=no/t=16777216,e=1000", "attention.prefill/lse=no/sq=1000000,sk=1000000",
        "attention.decode/lse=no/b=16777216,sk=16777216"}) {
    try {
      case_from_id(problem + data);
      ADD_FAILURE() << problem;
    } catch (const BadInput& error) {
      EXPECT_NE(std::string(error.what()).find(" at most 2^"), std::string::npos) << error.what();
    }
  }
  EXPECT_NO_THROW(case_from_id("moe.experts/act=silu/t=64,h=4096,i=1024,e=8" + data));
}

TEST(Grid, HoldsEveryCombinationOnce) {
  const auto key = [](const Cell& c) {
    return c.domain + "|" + c.backend + "|" + c.quant + "|" + c.ownership + "|" + c.out_mode;
  };
  std::set<std::string> keys;
  std::size_t experts = 0;
  const std::vector<Cell> cells = full_grid(claims_nothing());
  for (const Cell& cell : cells) {
    EXPECT_TRUE(keys.insert(key(cell)).second) << key(cell);
    EXPECT_EQ(cell.state, "not_offered");
    EXPECT_FALSE(cell.reason.empty());
    experts += cell.ownership.empty() ? 0 : 1;
  }
  EXPECT_EQ(experts,
            all_runner_backends().size() * all_quant_schemes().size() * all_ownerships().size());
}

RC_GTEST_PROP(Grid, HasTheCellOfEveryCase, ()) {
  static const std::vector<Cell> cells = full_grid(claims_nothing());
  Cell cell = cell_of(any_case().problem);
  cell.state = "not_offered";
  cell.reason = cells.front().reason;
  RC_ASSERT(std::find(cells.begin(), cells.end(), cell) != cells.end());
}

}  // namespace
}  // namespace plumbline::cases
