#include "conformance/run/run.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <set>
#include <stdexcept>

#include "conformance/cases/legal.h"
#include "conformance/record/journal.h"
#include "conformance/run/parallel.h"
#include "conformance/run/plan.h"

namespace plumbline::run {
namespace {

namespace fs = std::filesystem;

/// The embedded implementation, with something done to its answers.
class Altered final : public Implementation {
 public:
  using Edit = std::function<void(Answer&, const TensorViews& inputs, const TensorViews& outputs)>;

  explicit Altered(Edit edit) : edit_(std::move(edit)) {}

  const Manifest& manifest() const override { return inner_->manifest(); }
  std::optional<Refusal> refuses(const Problem& problem, const TensorViews& inputs) override {
    return refusal ? refusal : inner_->refuses(problem, inputs);
  }
  Answer run(const Problem& problem, const TensorViews& inputs,
             const TensorViews& outputs) override {
    Answer answer = inner_->run(problem, inputs, outputs);
    edit_(answer, inputs, outputs);
    return answer;
  }

  std::optional<Refusal> refusal;

 private:
  std::unique_ptr<Implementation> inner_ = make_embedded({});
  Edit edit_;
};

const Case kExperts =
    cases::case_from_id("moe.experts/act=relu2/t=5,h=16,i=8,e=4,k=2/data=gaussian/seed=0");
const Case kAbsent = cases::case_from_id(
    "attention.prefill/out=absent/b=1,hq=2,hkv=1,d=16,sq=3,sk=5/data=sorted/seed=1");

Record judged(const Case& test_case, const Altered::Edit& edit) {
  Altered altered(edit);
  return run_case(test_case, altered);
}

void nothing(Answer&, const TensorViews&, const TensorViews&) {}

TEST(RunCase, PassesTheCorrectKernels) {
  for (const Case& test_case : {kExperts, kAbsent}) {
    const Record record = judged(test_case, nothing);
    EXPECT_EQ(name_of(record.verdict), "pass") << record.lane << ": " << record.reason;
    EXPECT_EQ(record.case_id, test_case.id());
    EXPECT_GT(record.compared, 0);
    EXPECT_FALSE(record.path.empty());
  }
}

/// Its manifest cannot be had: an accident that is not the implementation's call.
class WithoutManifest final : public Implementation {
 public:
  explicit WithoutManifest(bool memory) : memory_(memory) {}
  const Manifest& manifest() const override {
    if (asked_++ == 0) return inner_->manifest();
    if (memory_) throw std::bad_alloc();
    throw std::runtime_error("no manifest");
  }
  std::optional<Refusal> refuses(const Problem&, const TensorViews&) override { return {}; }
  Answer run(const Problem&, const TensorViews&, const TensorViews&) override { return {}; }

 private:
  std::unique_ptr<Implementation> inner_ = make_embedded({});
  bool memory_;
  mutable int asked_ = 0;
};

TEST(RunCase, PinsAnAccidentOfTheHarnessOnItsCase) {
  WithoutManifest no_memory(true);
  EXPECT_EQ(name_of(run_case(kExperts, no_memory).verdict), "environment");
  WithoutManifest broken(false);
  const Record record = run_case(kExperts, broken);
  EXPECT_EQ(name_of(record.verdict), "crash");
  EXPECT_NE(record.reason.find("no manifest"), std::string::npos);
}

TEST(Select, ACaseThatIsGivenTwiceRunsOnce) {
  Selection selection;
  selection.case_ids = {kExperts.id(), kAbsent.id(), kExperts.id()};
  EXPECT_EQ(select(selection).size(), 2U);
}

TEST(RunCase, FailsAWrongNumber) {
  const Record record = judged(kExperts, [](Answer&, const TensorViews&, const TensorViews& out) {
    out.at("out").data[1] ^= std::byte{0x40};
  });
  EXPECT_EQ(name_of(record.verdict), "fail");
  EXPECT_FALSE(record.worst.empty());
}

TEST(RunCase, FailsAWriteToAnInput) {
  const Record record = judged(kExperts, [](Answer&, const TensorViews& in, const TensorViews&) {
    in.at("w2").data[0] ^= std::byte{1};
  });
  EXPECT_EQ(name_of(record.verdict), "fail");
  EXPECT_EQ(record.lane, "guard");
}

TEST(RunCase, FailsAWriteBesideAnOutput) {
  int calls = 0;
  const Record record = judged(kExperts, [&](Answer&, const TensorViews&, const TensorViews& out) {
    // Only once: in the repeat an unmapped page lies there.
    if (++calls == 1) out.at("out").data[-1] = std::byte{0};
  });
  EXPECT_EQ(name_of(record.verdict), "fail");
  EXPECT_EQ(record.lane, "guard");
}

TEST(RunCase, CatchesAnAnswerThatDiffersInTheRepeat) {
  int calls = 0;
  const Record record =
      judged(kAbsent, [&](Answer& answer, const TensorViews&, const TensorViews&) {
        if (++calls == 2) answer.returned.at("out").data[0] ^= std::byte{1};
      });
  EXPECT_GE(calls, 2);
  EXPECT_EQ(name_of(record.verdict), "flaky");
}

TEST(RunCase, CatchesAnotherPathThoughTheNumbersAreRight) {
  const Record record = judged(kExperts, [](Answer& answer, const TensorViews&,
                                            const TensorViews&) { answer.path = "marlin/bf16"; });
  EXPECT_EQ(name_of(record.verdict), "wrong_path");
}

TEST(RunCase, MissesAnOutputThatNobodyGave) {
  const Record record = judged(kAbsent, [](Answer& answer, const TensorViews&, const TensorViews&) {
    answer.returned.clear();
  });
  EXPECT_EQ(name_of(record.verdict), "fail");
  EXPECT_EQ(record.lane, "contract");
}

TEST(RunCase, CallsAnExceptionACrashOfItsCase) {
  const Record record = judged(kExperts, [](Answer&, const TensorViews&, const TensorViews&) {
    throw std::runtime_error("no attribute of that name");
  });
  EXPECT_EQ(name_of(record.verdict), "crash");
  EXPECT_NE(record.reason.find("no attribute of that name"), std::string::npos);
}

TEST(RunCase, JudgesRefusalsOfWhatIsOffered) {
  Altered altered(nothing);
  altered.refusal = Refusal{Status::kShape, "h % 128 == 0", "h = 16"};
  EXPECT_EQ(name_of(run_case(kExperts, altered).verdict), "wrongly_refused");
  altered.refusal = Refusal{Status::kCapacity, "t <= 4", "t = 5"};
  EXPECT_EQ(name_of(run_case(kExperts, altered).verdict), "refused");
}

TEST(RunCase, LeavesAloneWhatIsNotOffered) {
  Altered altered(nothing);
  Case other = kExperts;
  other.problem.set_axis("backend", "marlin");
  EXPECT_EQ(name_of(run_case(other, altered).verdict), "not_offered");
}

TEST(Plan, CountsItsCasesAndHoldsTheGrid) {
  Selection selection;
  selection.suite = "sanitizer";
  selection.filter = cases::Filter::parse("attention.*");
  selection.seed = 5;
  const auto implementation = make_embedded({});
  const std::vector<Case> cases = select(selection);
  const Plan plan = make_plan(selection, cases, implementation->manifest());
  EXPECT_EQ(plan.run.planned, static_cast<std::int64_t>(cases.size()));
  EXPECT_EQ(plan.cases.size(), cases.size());
  EXPECT_EQ(plan.run.filter, "attention.*");
  std::set<std::string> states;
  for (const Cell& cell : plan.cells) states.insert(cell.state);
  EXPECT_EQ(states, (std::set<std::string>{"excluded", "not_offered", "offered", "refused"}));
  for (const std::string& id : plan.cases) EXPECT_EQ(cases::case_from_id(id).id(), id);
}

TEST(Execute, WritesARecordACaseAndStopsAfterEnoughFailures) {
  const fs::path out = fs::temp_directory_path() / "plumbline_execute_test";
  fs::remove_all(out);
  fs::create_directories(out);
  const std::vector<Case> cases(4, kExperts);
  Altered broken(
      [](Answer& answer, const TensorViews&, const TensorViews&) { answer.path = "elsewhere"; });
  const Plan plan = make_plan({}, cases, broken.manifest());
  const RunOne run_broken = [&](const Case& one) { return run_case(one, broken); };
  Execution execution;
  execution.out = out;
  EXPECT_EQ(execute(plan, cases, run_broken, execution), 4);
  EXPECT_EQ(record::read_journal(out / record::kJournalName).size(), 4U);
  fs::remove(out / record::kJournalName);
  execution.max_failures = 2;
  EXPECT_EQ(execute(plan, cases, run_broken, execution), 2);
  EXPECT_EQ(record::read_plan(out / record::kPlanName).cases.size(), 4U);
  fs::remove_all(out);
}

TEST(Parallel, CallsEveryNumberOnceAndHandsOnAnException) {
  for (const int jobs : {1, 3}) {
    std::vector<std::atomic<int>> calls(100);
    parallel(calls.size(), jobs, [&](std::size_t n) { ++calls[n]; });
    for (const auto& count : calls) EXPECT_EQ(count, 1);
    EXPECT_THROW(parallel(100, jobs,
                          [](std::size_t n) {
                            if (n == 17) throw std::runtime_error("17");
                          }),
                 std::runtime_error);
  }
}

}  // namespace
}  // namespace plumbline::run
