#include "device/abi/library.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "device/abi/call.h"
#include "device/abi/samples.h"
#include "reference/spec/problems.h"

namespace plumbline {
namespace {

using device::test::f32_tensor;
using device::test::mixed;
using device::test::views_of;

std::string odd(const std::string& name) {
  return std::string(PLUMBLINE_LIBRARIES) + "/libodd_" + name + ".so";
}
const std::string& hello() {
  static const std::string file = PLUMBLINE_HELLO;
  return file;
}
const std::string& host() {
  static const std::string file = PLUMBLINE_HOST_LIBRARY;
  return file;
}

/// The line that the loader refuses a library with.
std::string refusal_of(const std::string& file) {
  try {
    open_library(file, {});
  } catch (const BadInput& error) {
    return error.what();
  }
  return "";
}

struct Route {
  RouteProblem problem;
  Tensors inputs;
  Tensors outputs;
};

Route small_route() {
  Route r;
  r.problem.t = 3;
  r.problem.e = 8;
  r.problem.k = 2;
  r.inputs = {{"router_logits", f32_tensor({3, 8}, mixed(24, 5))}};
  r.outputs = {{"topk_ids", Tensor::zeros({DType::kI32, {3, 2}})},
               {"topk_weights", Tensor::zeros({DType::kF32, {3, 2}})}};
  return r;
}

TEST(Library, WhatDoesNotLoadIsRefusedInOneLineThatNamesTheFile) {
  const std::string text = testing::TempDir() + "library_test.so";
  std::ofstream(text) << "no library";
  for (const std::string& file : {std::string("nowhere.so"), text}) {
    const std::string line = refusal_of(file);
    EXPECT_NE(line.find(file), std::string::npos) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
  }
}

TEST(Library, EachOddTableOrManifestIsRefusedByTheRuleItBreaks) {
  const std::pair<const char*, const char*> rules[] = {
      {"no_entry", "is not exported"},
      {"null_table", "returned null"},
      {"other_version", "abi_version: is 2; this plumbline speaks 1"},
      {"short_table", "size: is 16 bytes"},
      {"no_run", "run: is required and null"},
      {"allocate_alone", "allocate: comes with"},
      {"no_allocate", "allocate: is required where tensors are not in host memory"},
      {"null_manifest", "manifest: is not null"},
      {"null_name", "path 0: name is a string"},
      {"bad_constraint", "path 0 (odd)"},
      {"unknown_operation", "moe.rout: is no operation"},
      {"unknown_axis", "moe.route has no axis \"score\""},
      {"unknown_dimension", "constraint \"ee >= 1\": moe.route has no dimension ee"},
      {"control_characters", "manifest: name has no control characters"},
      {"bad_profile", "profile accumulator unknown: \"fp16\""},
  };
  for (const auto& [name, rule] : rules) {
    const std::string line = refusal_of(odd(name));
    EXPECT_NE(line.find(rule), std::string::npos) << name << ": " << line;
    EXPECT_NE(line.find(odd(name)), std::string::npos) << line;
  }
}

TEST(Library, AStatusThatIsNoneIsAFailureOfTheDevice) {
  Route r = small_route();
  const auto library = open_library(odd("strange_status"), {});
  const Answer answer = library->run(r.problem.to_problem(), views_of(r.inputs), {});
  EXPECT_EQ(answer.status, Status::kDevice);
  EXPECT_NE(answer.message.find("status 77"), std::string::npos);
}

TEST(Library, AnAnswerThatContradictsItsOwnReturnValueIsNotTaken) {
  Route r = small_route();
  const auto library = open_library(odd("contradicts"), {});
  const Answer answer = library->run(r.problem.to_problem(), views_of(r.inputs), {});
  EXPECT_EQ(answer.status, Status::kDevice);
  EXPECT_NE(answer.message.find("the function returned 3, its answer says 0"), std::string::npos);
}

TEST(Library, ATensorOnALayerThatCannotBeReadIsNotPassedOver) {
  const auto library = open_library(odd("unreadable_layer"), {});
  const auto method = library->make_method("bf16", "direct");
  ASSERT_NE(method, nullptr);
  try {
    static_cast<void>(method->query());
    FAIL() << "it was read";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("row-major, contiguous strides: w13"),
              std::string::npos)
        << error.what();
  }
}

TEST(Library, TensorsTravelToADeviceWithMemoryOfItsOwn) {
  Route r = small_route();
  const auto library = open_library(odd("device_memory"), {});
  const Answer answer =
      library->run(r.problem.to_problem(), views_of(r.inputs), views_of(r.outputs));
  ASSERT_EQ(answer.status, Status::kOk);
  for (const std::int32_t id : {0, 1, 2}) {
    EXPECT_EQ(r.outputs["topk_ids"].as<std::int32_t>()[id], id % 2);
    EXPECT_EQ(r.outputs["topk_weights"].as<float>()[id], 1.0F);
  }
}

TEST(Library, HelloOffersTwoPathsAndRefusesGroups) {
  Route r = small_route();
  const auto library = open_library(hello(), {});
  ASSERT_EQ(library->manifest().paths.size(), 2U);
  const Answer answer =
      library->run(r.problem.to_problem(), views_of(r.inputs), views_of(r.outputs));
  EXPECT_EQ(answer.status, Status::kOk);
  EXPECT_EQ(answer.path, "small");
  r.problem.groups = 2;
  const auto refusal = library->refuses(r.problem.to_problem(), views_of(r.inputs));
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->status, Status::kShape);
  EXPECT_EQ(refusal->text(), "g == 1: no groups here");
}

TEST(Library, AnUnknownOptionOfTheEmbeddedOneIsRefusedWhenItIsOpened) {
  EXPECT_THROW(open_library(host(), {{"waves", "64"}}), BadInput);
  EXPECT_THROW(open_library(host(), {{"wave", "48"}}), BadInput);
  EXPECT_THROW(open_library(host(), {{"fault", "none_such"}}), BadInput);
}

/// What is given through the C ABI and what the linked code says of itself.
void expect_same(const Manifest& a, const Manifest& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.wave, b.wave);
  ASSERT_EQ(a.paths.size(), b.paths.size());
  for (std::size_t n = 0; n < a.paths.size(); ++n) {
    EXPECT_EQ(a.paths[n].name, b.paths[n].name);
    EXPECT_EQ(a.paths[n].op, b.paths[n].op);
    EXPECT_EQ(a.paths[n].axes, b.paths[n].axes);
    EXPECT_EQ(a.paths[n].constraints, b.paths[n].constraints);
    EXPECT_EQ(a.paths[n].traits, b.paths[n].traits);
    EXPECT_EQ(a.paths[n].profile, b.paths[n].profile);
  }
}

TEST(Library, TheEmbeddedOneSaysAndComputesTheSameThroughTheCAbi) {
  const auto linked = make_embedded({32, ""});
  const auto loaded = open_library(host(), {{"wave", "32"}});
  expect_same(linked->manifest(), loaded->manifest());
  auto layer = device::test::ragged("bf16", "silu");
  const Problem problem = layer.problem.to_problem();
  const Answer here = linked->run(problem, views_of(layer.inputs), {});
  const Answer there = loaded->run(problem, views_of(layer.inputs), {});
  EXPECT_EQ(there.status, Status::kOk) << there.message;
  EXPECT_EQ(there.path, here.path);
  EXPECT_EQ(there.returned, here.returned);
  layer.inputs["x"].spec.shape = {36, 131};
  const auto refusal = loaded->refuses(problem, views_of(layer.inputs));
  ASSERT_TRUE(refusal);
  EXPECT_EQ(*refusal, *linked->refuses(problem, views_of(layer.inputs)));
}

TEST(Library, AnObserverSeesTheIntermediatesOfALayerInTheirOrder) {
  const auto loaded = open_library(host(), {});
  auto layer = device::test::ragged("bf16", "silu");
  std::vector<std::string> seen;
  const Answer answer =
      loaded->run_observed(layer.problem.to_problem(), views_of(layer.inputs), {},
                           [&](std::string_view name, const TensorView& shown) {
                             seen.push_back(std::string(name) + " " + shown.spec.text());
                           });
  EXPECT_EQ(answer.status, Status::kOk);
  const std::vector<std::string> all = {"gate_up bf16 [111, 140]", "activated bf16 [111, 70]",
                                        "weighted bf16 [111, 131]"};
  EXPECT_EQ(seen, all);
}

TEST(Library, ARecordThatCannotBeReadIsStillRefusedByItsTagFirst) {
  const auto loaded = open_library(host(), {});
  auto layer = device::test::ragged("bf16", "silu");
  QuantRecord record;
  record.tag = "another_runner";
  record.tensors["w13"] = Tensor::zeros({DType::kBf16, {0}});
  const Answer answer =
      loaded->run_packed(layer.problem.to_problem(), record, views_of(layer.inputs), {});
  EXPECT_EQ(answer.status, Status::kUnsupported) << answer.message;
}

}  // namespace
}  // namespace plumbline
