#include "device/moe/switches.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "device/abi/implementation.h"
#include "device/moe/identity.h"

namespace plumbline::device {
namespace {

constexpr const char* kNames[] = {"runner_backend", "int4_on_hip", "lightop_library"};

std::map<std::string, std::string> all_values() {
  std::map<std::string, std::string> values;
  for (const char* name : kNames) values[name] = *switches::get(name);
  return values;
}

class Switches : public testing::Test {
 protected:
  void TearDown() override {
    for (const auto& [name, value] : first_) {
      EXPECT_EQ(switches::set(name, value), std::nullopt) << name;
    }
  }

  /// Refused by a text with that word, and no switch has moved.
  static void expect_refused(const std::string& name, const std::string& value,
                             const std::string& named) {
    const auto before = all_values();
    const auto refusal = switches::set(name, value);
    ASSERT_TRUE(refusal) << name << " = " << value;
    EXPECT_EQ(refusal->status, Status::kUnsupported);
    EXPECT_NE(refusal->text().find(named), std::string::npos) << refusal->text();
    EXPECT_EQ(all_values(), before);
  }

 private:
  std::map<std::string, std::string> first_ = all_values();
};

TEST_F(Switches, StandAtFirstWhereAnEngineWithoutOptionsHasThem) {
  const std::map<std::string, std::string> wanted = {
      {"runner_backend", "auto"}, {"int4_on_hip", "no"}, {"lightop_library", "present"}};
  EXPECT_EQ(all_values(), wanted);
}

TEST_F(Switches, TakeEachOfTheirValuesAndMoveNoOther) {
  for (const auto& [name, value] : {std::pair("runner_backend", "lightop"),
                                    {"runner_backend", "auto"},
                                    {"int4_on_hip", "yes"},
                                    {"int4_on_hip", "no"},
                                    {"lightop_library", "absent"},
                                    {"lightop_library", "missing_symbol"},
                                    {"lightop_library", "present"}}) {
    auto wanted = all_values();
    wanted[name] = value;
    EXPECT_EQ(switches::set(name, value), std::nullopt) << name << " = " << value;
    EXPECT_EQ(all_values(), wanted);
    EXPECT_EQ(switches::value_of(name), value);
  }
}

TEST_F(Switches, TakeEveryRunnerBackendThatThereIs) {
  int backends = 0;
  for (const identity::Value& value : identity::all().values) {
    if (value.type != "runner_backend") continue;
    ++backends;
    EXPECT_EQ(switches::set("runner_backend", value.name), std::nullopt) << value.name;
    EXPECT_EQ(switches::value_of("runner_backend"), value.name);
  }
  EXPECT_GT(backends, 1);
}

TEST_F(Switches, OfAnUnknownNameAreRefusedAndNamed) {
  for (const std::string name : {"runner", "runner_backend ", "Runner_backend", ""}) {
    expect_refused(name, "auto", "\"" + name + "\"");
    const auto got = switches::get(name);
    ASSERT_FALSE(got) << name;
    EXPECT_EQ(got.refusal().status, Status::kUnsupported);
    EXPECT_NE(got.refusal().text().find("\"" + name + "\""), std::string::npos);
  }
}

TEST_F(Switches, RefuseAValueThatIsNotTheirsAndKeepTheOneTheyHave) {
  ASSERT_EQ(switches::set("runner_backend", "lightop"), std::nullopt);
  ASSERT_EQ(switches::set("int4_on_hip", "yes"), std::nullopt);
  ASSERT_EQ(switches::set("lightop_library", "missing_symbol"), std::nullopt);
  // The last of each row is a value of another switch.
  for (const char* value : {"Lightop", "lightop,triton", "deepep", "", "yes"}) {
    expect_refused("runner_backend", value, "\"" + std::string(value) + "\"");
  }
  for (const char* value : {"true", "1", "YES", "", "auto"}) {
    expect_refused("int4_on_hip", value, "yes no");
  }
  for (const char* value : {"gone", "missing", "", "no"}) {
    expect_refused("lightop_library", value, "present absent missing_symbol");
  }
}

TEST_F(Switches, AreThoseOfTheProcessWhicheverImplementationIsAsked) {
  const auto one = make_embedded({});
  const auto other = make_embedded({32, {}});
  EXPECT_EQ(one->set_switch("runner_backend", "lightop"), std::nullopt);
  EXPECT_EQ(*other->get_switch("runner_backend"), "lightop");
  const auto refusal = other->set_switch("runner_backend", "nonsense");
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->status, Status::kUnsupported);
  EXPECT_EQ(*one->get_switch("runner_backend"), "lightop");
  EXPECT_FALSE(one->get_switch("nonsense"));
}

}  // namespace
}  // namespace plumbline::device
