#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "conformance/properties/trial.h"
#include "reference/bounds/evaluate.h"

namespace plumbline::properties {
namespace {

/// Lane "bitwise": the case under the embedded implementation, with or without a fault.
Judgement judge_exact(const Case& c, const std::string& fault) {
  const auto implementation = make_embedded({64, fault});
  const Trial trial = start(c, *implementation, "exact");
  if (trial.stop) return *trial.stop;
  const Profile profile = implementation->manifest().path_for(c.problem)->profile;
  const ExpectedTensors expected = bounds::evaluate(c.problem, trial.inputs, profile);
  return judge::numeric("out", expected.at("out"), trial.outputs.at("out"));
}

RC_GTEST_PROP(ExactIntegers, LeaveOneRightAnswerAndTheKernelsGiveIt, ()) {
  ExpertsProblem p;
  const bool relu2 = *rc::gen::inRange(0, 2) == 1;
  if (relu2) p.activation.kind = Activation::Kind::kRelu2;
  p.has_bias = *rc::gen::inRange(0, 2) == 1;
  p.t = *rc::gen::inRange<std::int64_t>(1, 12);
  p.h = *rc::gen::inRange<std::int64_t>(1, 140);
  p.i = *rc::gen::inRange<std::int64_t>(1, 48);
  p.e = *rc::gen::inRange<std::int64_t>(2, 7);
  p.k = *rc::gen::inRange<std::int64_t>(1, 3);
  const Case c{p.to_problem(), "exact_integers", *rc::gen::inRange<std::uint64_t>(0, 1000)};
  const Judgement judged = judge_exact(c, "");
  RC_CLASSIFY(relu2, "relu2");
  RC_CLASSIFY(judged.lane == "bitwise", "bitwise");
  if (judged.verdict != Verdict::kPass) RC_FAIL(c.id() + ": " + judged.reason);
  if (judged.lane != "bitwise") RC_FAIL(c.id() + " has a second admissible value");
}

TEST(ExactIntegers, ACutOffInsteadOfARoundingIsSeenBitByBit) {
  for (const std::string act : {"relu2", "silu"}) {
    Case c =
        parse_case("moe.experts/act=" + act + "/t=7,h=64,i=32,e=4,k=2/data=exact_integers/seed=0");
    // A path is found by every axis, also those that an id leaves out.
    c.problem = ExpertsProblem::from(c.problem)->to_problem();
    EXPECT_EQ(judge_exact(c, "").verdict, Verdict::kPass);
    const Judgement judged = judge_exact(c, "bf16_truncated");
    EXPECT_EQ(judged.verdict, Verdict::kFail) << act;
    EXPECT_EQ(judged.lane, "bitwise") << act;
  }
}

}  // namespace
}  // namespace plumbline::properties
