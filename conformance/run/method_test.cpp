#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "conformance/cases/filter.h"
#include "conformance/run/run.h"
#include "conformance/suites/suite.h"
#include "device/abi/implementation.h"
#include "reference/spec/ids.h"
#include "reference/spec/problems.h"

namespace plumbline::run {
namespace {

Implementation& embedded() {
  static const auto implementation = make_embedded({});
  return *implementation;
}

/// runner_backend and int4_on_hip pinned, and put back.
class PinnedSwitches {
 public:
  explicit PinnedSwitches(std::string_view backend)
      : backend_(*embedded().get_switch("runner_backend")),
        int4_(*embedded().get_switch("int4_on_hip")) {
    embedded().set_switch("runner_backend", backend);
    embedded().set_switch("int4_on_hip", "no");
  }
  PinnedSwitches(const PinnedSwitches&) = delete;
  PinnedSwitches& operator=(const PinnedSwitches&) = delete;
  ~PinnedSwitches() {
    embedded().set_switch("runner_backend", backend_);
    embedded().set_switch("int4_on_hip", int4_);
  }

 private:
  std::string backend_, int4_;
};

/// A serialised checkpoint in blocks of 128 × 128.
Problem layer() {
  ExpertsProblem p;
  p.quant = "fp8_block128";
  p.activation = {Activation::Kind::kSwiglu, 1.702, 1.0, 7.0};
  p.h = p.i = 128;
  p.e = 2;
  p.k = 1;
  return p.to_problem();
}

void load_zeros(Method& method) {
  for (const auto& [name, tensor] : method.query().layer) {
    Tensor zeros = Tensor::zeros(tensor.spec);
    ASSERT_EQ(method.load(name, -1, {zeros.spec, zeros.data.data()}).status, Status::kOk);
  }
}

MethodState loaded_by(std::string_view holder) {
  const auto method = embedded().make_method("fp8_block128", holder);
  method->create_weights(layer());
  method->create_runner(layer());
  load_zeros(*method);
  EXPECT_EQ(method->process_weights().status, Status::kOk);
  return method->query();
}

std::int64_t parameters_on(const MethodState& state) {
  return std::count_if(state.layer.begin(), state.layer.end(),
                       [](const auto& named) { return named.first.starts_with("gemm1_"); });
}

TEST(Fp8Method, ABorrowerOnTrtllmSkipsTheParametersAndStillProcessesOnce) {
  const PinnedSwitches pinned("flashinfer_trtllm");
  const MethodState borrower = loaded_by("mxfp4_trtllm");
  EXPECT_FALSE(borrower.owns_runner);
  EXPECT_EQ(parameters_on(borrower), 0);
  EXPECT_TRUE(borrower.layer.contains("w13"));
}

TEST(Fp8Method, AnOwnerOnTrtllmMaterialisesTheParameters) {
  const PinnedSwitches pinned("flashinfer_trtllm");
  const MethodState owner = loaded_by("direct");
  EXPECT_TRUE(owner.owns_runner);
  EXPECT_EQ(parameters_on(owner), 3);
}

TEST(Fp8Method, AnOwnerOnAnotherBackendDoesNot) {
  for (const char* backend : {"triton", "hpc_ops", "deep_gemm"}) {
    const PinnedSwitches pinned(backend);
    const MethodState owner = loaded_by("direct");
    EXPECT_TRUE(owner.owns_runner) << backend;
    EXPECT_EQ(parameters_on(owner), 0) << backend;
  }
}

TEST(Fp8Method, ASecondCreateRunnerOnABackendWithoutOneEndsOwnership) {
  const auto method = embedded().make_method("fp8_block128", "direct");
  const PinnedSwitches pinned("triton");
  method->create_runner(layer());
  EXPECT_TRUE(method->query().owns_runner);
  embedded().set_switch("runner_backend", "marlin");
  EXPECT_EQ(method->create_runner(layer()).status, Status::kOk);
  EXPECT_FALSE(method->query().owns_runner);
}

TEST(Switches, RefuseWhatTheyDoNotKnow) {
  EXPECT_TRUE(embedded().set_switch("runner_backend", "trtion"));
  EXPECT_TRUE(embedded().set_switch("runner", "triton"));
  EXPECT_FALSE(embedded().get_switch("runner"));
}

/// Whether a case of smoke fails in the lane that the fault names.
bool is_killed(const FaultInfo& fault, const std::vector<Case>& smoke) {
  const auto faulty = make_embedded({64, std::string(fault.name)});
  const auto filter = cases::Filter::parse(fault.pattern);
  return std::any_of(smoke.begin(), smoke.end(), [&](const Case& test_case) {
    if (!filter.matches(test_case)) return false;
    const auto judgements = examine(test_case, *faulty).judgements;
    return std::any_of(judgements.begin(), judgements.end(), [&](const judge::Judgement& judged) {
      return judged.lane == fault.expected_lane && info_of(judged.verdict).exit == 1;
    });
  });
}

TEST(Method, EachFaultOfLifeCycleAndIdentityIsKilledInItsLane) {
  const std::vector<Case> smoke = suites::load("smoke");
  for (const FaultInfo& fault : all_faults()) {
    if (fault.pattern.starts_with("moe.method") || fault.pattern.starts_with("moe.identity")) {
      EXPECT_TRUE(is_killed(fault, smoke)) << fault.name;
    }
  }
}

TEST(Method, EveryLifeCycleAndIdentityOfSmokePasses) {
  for (const Case& test_case : suites::load("smoke")) {
    if (test_case.problem.op != "moe.method" && test_case.problem.op != "moe.identity") continue;
    const Record record = run_case(test_case, embedded());
    EXPECT_EQ(record.verdict, Verdict::kPass)
        << record.case_id << "\n  " << record.lane << ": " << record.reason;
  }
}

RC_GTEST_PROP(Method, AnySequenceOfCallsObeysTheModel, ()) {
  MethodProblem p;
  p.layer.quant =
      *rc::gen::elementOf(std::vector<std::string>{"fp8_block128", "fp8_block128", "bf16"});
  p.layer.backend = *rc::gen::elementOf(std::vector<std::string>{
      "auto", "triton", "flashinfer_trtllm", "flashinfer_trtllm_routed", "hpc_ops", "marlin"});
  p.layer.h = p.layer.i = p.layer.quant == "bf16" ? 32 : 128;
  p.layer.e = 2;
  p.layer.k = 1;
  if (*rc::gen::arbitrary<bool>()) {
    p.layer.activation = {Activation::Kind::kSwiglu, 1.5, 1.0, 0.0};
  }
  const auto ownerships = all_ownerships();
  p.ownership = *rc::gen::elementOf(std::vector<std::string>(ownerships.begin(), ownerships.end()));
  if (p.layer.quant == "bf16" && p.ownership.starts_with("borrower")) p.ownership = "owner";
  const auto words = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(
      std::vector<std::string>{"weights", "load", "load", "runner", "runner", "process", "process",
                               "apply", "switch:flashinfer_trtllm", "switch:triton",
                               "switch:marlin", "switch:mega_moe", "int4:yes", "int4:no"}));
  p.calls = "weights";
  for (const std::string& word : words) p.calls += "." + word;
  const Case test_case{p.to_problem(), "gaussian", 1};
  const Record record = run_case(test_case, embedded());
  if (record.verdict != Verdict::kPass) RC_FAIL(record.case_id + ": " + record.reason);
}

}  // namespace
}  // namespace plumbline::run
