#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "device/abi/samples.h"
#include "device/moe/dispatch.h"
#include "device/moe/lightop/library.h"

namespace plumbline::device {
namespace {

ExpertsProblem problem_of(const std::string& backend, const std::string& quant,
                          const std::string& pack = "plain") {
  ExpertsProblem p;
  p.backend = backend;
  p.quant = quant;
  p.pack = pack;
  p.t = 3;
  p.h = 128;
  p.i = 128;
  p.e = 2;
  p.k = 1;
  return p;
}

/// A switch, put back.
class Switched {
 public:
  Switched(Implementation& implementation, const char* name, const std::string& value)
      : implementation_(implementation), name_(name), was_(*implementation.get_switch(name)) {
    EXPECT_EQ(implementation_.set_switch(name_, value), std::nullopt);
  }
  Switched(const Switched&) = delete;
  Switched& operator=(const Switched&) = delete;
  ~Switched() { implementation_.set_switch(name_, was_); }

 private:
  Implementation& implementation_;
  const char* name_;
  std::string was_;
};

void expect_named(const std::optional<Refusal>& refusal, const std::string& rule,
                  const std::string& detail) {
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->status, Status::kUnsupported);
  EXPECT_NE(refusal->rule.find(rule), std::string::npos) << refusal->text();
  EXPECT_NE(refusal->detail.find(detail), std::string::npos) << refusal->text();
}

TEST(LightopLibrary, HasTheEntriesThatItsStateSays) {
  const auto present = lightop::find("present");
  ASSERT_TRUE(present);
  EXPECT_EQ(present->moe_w8a8_int8, &lightop::moe_w8a8_int8);
  EXPECT_EQ(present->moe_w8a8_fp8, &lightop::moe_w8a8_fp8);
  const auto missing = lightop::find("missing_symbol");
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->moe_w8a8_int8, &lightop::moe_w8a8_int8);
  EXPECT_EQ(missing->moe_w8a8_fp8, nullptr);
  for (const char* state : {"absent", "", "Present"}) EXPECT_FALSE(lightop::find(state)) << state;
}

TEST(LightopLibrary, ThatIsAbsentIsNamedByEveryLightopPath) {
  for (const auto& [quant, pack] :
       {std::pair("w8a8_int8", "plain"), {"w8a8_int8", "kpack2"}, {"w8a8_fp8_channel", "plain"}}) {
    const ExpertsProblem p = problem_of("lightop", quant, pack);
    EXPECT_FALSE(refuse_layer(p, "present"));
    expect_named(refuse_layer(p, "absent"), "the library lightop is present",
                 "lightop_library = absent");
  }
}

TEST(LightopLibrary, WithoutItsFp8SymbolRefusesFp8AloneAndNamesTheSymbol) {
  expect_named(refuse_layer(problem_of("lightop", "w8a8_fp8_channel"), "missing_symbol"),
               "moe_w8a8_fp8", "lightop_library = missing_symbol");
  for (const char* pack : {"plain", "kpack2"}) {
    EXPECT_FALSE(refuse_layer(problem_of("lightop", "w8a8_int8", pack), "missing_symbol"));
  }
}

TEST(LightopLibrary, IsNothingToOtherBackends) {
  for (const char* library : {"present", "absent", "missing_symbol"}) {
    for (const char* quant : {"bf16", "fp8_block128", "w8a8_int8", "w8a8_fp8_channel"}) {
      EXPECT_FALSE(refuse_layer(problem_of("triton", quant), library)) << library << quant;
    }
    EXPECT_FALSE(refuse_layer(problem_of("flashinfer_trtllm_routed", "fp8_block128"), library));
  }
}

TEST(LightopLibrary, IsAskedBeforeTheSizes) {
  ExpertsProblem p = problem_of("lightop", "w8a8_fp8_channel");
  p.h = 40;
  EXPECT_EQ(refuse_layer(p, "present")->status, Status::kShape);
  EXPECT_EQ(refuse_layer(p, "missing_symbol")->status, Status::kUnsupported);
}

/// A method for a library in that state, after create_runner and then process_weights.
struct Constructed {
  Answer runner;
  Answer weights;
  MethodState after_runner;
  Tensors layer;
};

Constructed construct(const ExpertsProblem& p, const std::string& library) {
  const auto embedded = make_embedded({});
  const Switched backend(*embedded, "runner_backend", p.backend);
  const Switched state(*embedded, "lightop_library", library);
  const auto method = embedded->make_method(p.quant, "direct");
  const Problem problem = p.to_problem();
  test::Layer layer = test::layer_of(p);
  EXPECT_EQ(method->create_weights(problem).status, Status::kOk);
  for (const char* name : {"w13", "w2", "w13_scale", "w2_scale"}) {
    const auto tensor = layer.inputs.find(name);
    if (tensor == layer.inputs.end()) continue;
    const TensorView view{tensor->second.spec, tensor->second.data.data()};
    EXPECT_EQ(method->load(name, -1, view).status, Status::kOk) << name;
  }
  Constructed made;
  made.runner = method->create_runner(problem);
  made.after_runner = method->query();
  made.weights = method->process_weights();
  made.layer = method->query().layer;
  return made;
}

TEST(LightopLibrary, RefusesARunnerAndItsWeightsWithTheSameReasonAndLeavesTheLayer) {
  for (const auto& [quant, library, named] :
       {std::tuple("w8a8_int8", "absent", "the library lightop is present"),
        {"w8a8_fp8_channel", "absent", "the library lightop is present"},
        {"w8a8_fp8_channel", "missing_symbol", "moe_w8a8_fp8"}}) {
    const Constructed made = construct(problem_of("lightop", quant), library);
    for (const Answer* answer : {&made.runner, &made.weights}) {
      EXPECT_EQ(answer->status, Status::kUnsupported) << answer->message;
      EXPECT_NE(answer->message.find(named), std::string::npos) << answer->message;
    }
    EXPECT_FALSE(made.after_runner.owns_runner);
    EXPECT_EQ(made.after_runner.runner_backend, "");
    EXPECT_EQ(made.layer, made.after_runner.layer);
  }
}

TEST(LightopLibrary, LeavesEveryOtherMethodAsItIs) {
  const auto undisturbed = [](const ExpertsProblem& p, const std::string& library) {
    const Constructed wanted = construct(p, "present");
    const Constructed made = construct(p, library);
    EXPECT_EQ(made.runner.status, Status::kOk) << made.runner.message;
    EXPECT_EQ(made.weights.status, Status::kOk) << made.weights.message;
    EXPECT_EQ(made.after_runner.runner_backend, p.backend);
    EXPECT_EQ(made.layer, wanted.layer) << p.backend << "/" << p.quant;
  };
  undisturbed(problem_of("lightop", "w8a8_int8"), "missing_symbol");
  for (const char* library : {"absent", "missing_symbol"}) {
    for (const char* quant : {"bf16", "fp8_block128", "w8a8_int8", "w8a8_fp8_channel"}) {
      undisturbed(problem_of("triton", quant), library);
    }
    undisturbed(problem_of("flashinfer_trtllm_routed", "fp8_block128"), library);
  }
}

}  // namespace
}  // namespace plumbline::device
