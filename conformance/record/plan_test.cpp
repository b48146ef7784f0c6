#include <gtest/gtest.h>
#include <unistd.h>

#include "conformance/record/file.h"
#include "conformance/record/journal.h"
#include "reference/spec/status.h"

namespace plumbline {
namespace {

class PlanFile : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(file_); }
  std::string complaint(std::string_view text) const {
    record::replace_file(file_, text);
    try {
      record::read_plan(file_);
    } catch (const BadInput& bad) {
      return std::string(bad.what()).substr(file_.string().size());
    }
    return "read";
  }
  std::filesystem::path file_ = std::filesystem::temp_directory_path() /
                                ("plumbline_plan." + std::to_string(::getpid()) + ".json");
};

Plan sample() {
  Plan plan;
  plan.run = {"smoke", "embedded", "0.1.0",  "host",  "host",           64, 18446744073709551615U,
              "moe.*", 2,          "g++ 12", "Linux", "./plumbline run"};
  plan.run.seconds = 1.25;
  plan.cases = {"a/\"b\"", "c\n"};
  plan.cells = {Cell{"moe", "triton", "bf16", "owner", "", "", "", "", "", "", "", "offered", ""},
                Cell{"attention", "decode", "bf16", "", "", "", "", "", "paged", "in_place",
                     "eager", "not_offered", "needs <b>more</b>"}};
  return plan;
}

TEST_F(PlanFile, GivesEveryFieldBack) {
  const Plan plan = sample();
  record::write_plan(file_, plan);
  const Plan back = record::read_plan(file_);
  EXPECT_EQ(back.cases, plan.cases);
  EXPECT_EQ(back.cells, plan.cells);
  EXPECT_EQ(back.run.seed, plan.run.seed);
  EXPECT_EQ(back.run.command, plan.run.command);
  EXPECT_EQ(back.run.filter, plan.run.filter);
  EXPECT_EQ(back.run.wave, plan.run.wave);
  EXPECT_EQ(back.run.seconds, plan.run.seconds);
  EXPECT_EQ(back.run.planned, plan.run.planned);
}

TEST_F(PlanFile, NamesPlaceAndRuleOfWhatItRefuses) {
  EXPECT_EQ(complaint("{\"schema\""), ": must be one JSON object");
  EXPECT_EQ(complaint("{}"), ": \"schema\" must be 1");
  EXPECT_EQ(complaint(R"({"schema":1})"), ": \"run\" is missing");
  EXPECT_EQ(complaint(R"({"schema":1,"run":{"suite":1}})"), ": run: \"suite\" must be a string");
  EXPECT_EQ(complaint(R"({"schema":1,"run":{"suite":"a","implementation":"b","seed":-1}})"),
            ": run: \"seed\" must be a whole number in range");
  EXPECT_EQ(complaint(R"({"schema":1,"run":{"suite":"a","implementation":"b"},"cases":[1]})"),
            ": \"cases\" must hold case ids");
  EXPECT_EQ(complaint(R"({"schema":1,"run":{"suite":"a","implementation":"b"},"cells":[{}]})"),
            ": cells[0]: must have a domain and a state");
}

TEST(CellOf, TakesBackendQuantAndOwnershipOfExperts) {
  const Case c = parse_case(
      "moe.experts/backend=triton,quant=bf16,ownership=borrower_trtllm,io=f16/t=1/data=gaussian/"
      "seed=1");
  EXPECT_EQ(cell_of(c.problem), (Cell{"moe", "triton", "bf16", "borrower_trtllm", "none", "", "",
                                      "", "", "", "eager", "", ""}));
}

TEST(CellOf, TakesPathMaskTypeAndOutModeOfAttention) {
  const Case c =
      parse_case("attention.decode/io=bf16,mask=full,out=in_place/b=1/data=gaussian/seed=1");
  EXPECT_EQ(cell_of(c.problem), (Cell{"attention", "decode/full", "bf16", "", "", "", "", "",
                                      "paged", "in_place", "eager", "", ""}));
}

TEST(CellOf, TakesTheScoringOfRouting) {
  const Case c = parse_case("moe.route/scoring=sigmoid/t=1/data=gaussian/seed=1");
  EXPECT_EQ(cell_of(c.problem).backend, "route/sigmoid");
}

}  // namespace
}  // namespace plumbline
