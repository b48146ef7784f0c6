#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "device/abi/samples.h"

namespace plumbline::device {
namespace {

using test::Layer;

/// A layer, the record of its weights and what is left of its inputs.
struct Packed {
  Layer layer;
  QuantRecord record;
  Tensors routing;
};

Packed packed(const std::string& backend, const std::string& quant, const std::string& activation,
              const std::string& pack = "plain", bool biased = false) {
  ExpertsProblem p;
  p.backend = backend;
  p.quant = quant;
  p.activation = *Activation::from(activation);
  p.pack = pack;
  p.has_bias = biased;
  p.t = 3;
  p.h = quant == "w8a8_fp8_channel" ? 32 : 19;
  p.i = quant == "fp8_block128" ? 128 : 16;
  p.e = 2;
  p.k = 1;
  Packed made{test::layer_of(p), {}, {}};
  Tensors& inputs = made.layer.inputs;
  if (biased) {
    inputs["w13_bias"] = test::bf16_tensor({2, p.w13_rows()}, test::mixed(2 * p.w13_rows(), 5));
    inputs["w2_bias"] = test::bf16_tensor({2, p.h}, test::mixed(2 * p.h, 6));
  }
  Tensors weights = inputs;
  for (const char* name : {"x", "topk_ids", "topk_weights"}) {
    made.routing[name] = weights.at(name);
    weights.erase(name);
  }
  const auto record = make_embedded({})->pack(p.to_problem(), test::views_of(weights));
  if (record) {
    made.record = *record;
  } else {
    ADD_FAILURE() << record.refusal().text();
  }
  return made;
}

const std::vector<Packed>& every_path() {
  static const std::vector<Packed> all = {
      packed("lightop", "w8a8_int8", "silu"),
      packed("lightop", "w8a8_int8", "relu2", "kpack2"),
      packed("lightop", "w8a8_fp8_channel", "swiglu:1:0:none"),
      packed("flashinfer_trtllm_routed", "fp8_block128", "swiglu:1.702:1:7"),
      packed("flashinfer_trtllm_routed", "fp8_block128", "silu"),
      packed("triton", "bf16", "silu", "plain", true),
      packed("triton", "fp8_block128", "silu"),
      packed("triton", "w8a8_int8", "relu2"),
      packed("triton", "w8a8_fp8_channel", "silu"),
  };
  return all;
}

Packed lightop() { return every_path().front(); }

/// The answer; a refusal must leave the caller's out as it was and return nothing.
Answer answer_to(Packed& p) {
  Tensors outputs = {{"out", test::bf16_tensor({p.layer.problem.t, p.layer.problem.h}, {-7})}};
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): written to through its view
  const Tensors before = outputs;
  Answer answer = make_embedded({})->run_packed(p.layer.problem.to_problem(), p.record,
                                                test::views_of(p.routing), test::views_of(outputs));
  if (answer.status == Status::kOk) {
    answer.returned = outputs;
    return answer;
  }
  EXPECT_EQ(outputs, before);
  EXPECT_TRUE(answer.returned.empty());
  return answer;
}

/// Refused with that class by a text that names the field.
void expect_refused(Packed& p, Status wanted, const std::string& field) {
  const Answer answer = answer_to(p);
  EXPECT_EQ(answer.status, wanted) << answer.message;
  EXPECT_NE(answer.message.find(field), std::string::npos) << answer.message << "\n" << field;
}

void reshape(QuantRecord& record, const std::string& name, TensorSpec spec) {
  record.tensors[name] = Tensor::zeros(std::move(spec));
}

void set_dtype(QuantRecord& record, const std::string& name, DType dtype) {
  TensorSpec spec = record.tensors.at(name).spec;
  spec.dtype = dtype;
  reshape(record, name, spec);
}

void lengthen(QuantRecord& record, const std::string& name) {
  TensorSpec spec = record.tensors.at(name).spec;
  ++spec.shape.back();
  reshape(record, name, spec);
}

TEST(Record, ThatIsGoodGivesTheBitsOfRun) {
  for (Packed p : every_path()) {
    const Answer answer = answer_to(p);
    ASSERT_EQ(answer.status, Status::kOk) << answer.message;
    const Answer plain = test::call(p.layer.problem.to_problem(), p.layer.inputs);
    EXPECT_EQ(answer.path, plain.path);
    EXPECT_EQ(answer.returned, plain.returned) << plain.path;
  }
}

// Breaches are added from the last rule to the first; each must hide those before it, and lies on a
// later field than they do.
TEST(Record, IsRefusedForTagFlagsPresenceDtypeShapeAndLayoutInThisOrder) {
  Packed p = lightop();
  p.record.numbers["kpack"] = 2;
  expect_refused(p, Status::kLayout, "kpack");
  p.record.tensors["w13"].spec.layout = Layout::kTmaAligned;
  expect_refused(p, Status::kLayout, "w13");
  p.record.numbers["w2_k"] = 17;
  expect_refused(p, Status::kShape, "w2_k");
  lengthen(p.record, "w2");
  expect_refused(p, Status::kShape, "w2 ");
  set_dtype(p.record, "w13_scale", DType::kF16);
  expect_refused(p, Status::kDtype, "w13_scale");
  p.record.tensors.erase("w2_scale");
  expect_refused(p, Status::kMissing, "w2_scale");
  p.record.tensors["w2_zero"] = Tensor::zeros({DType::kF32, {1}});
  expect_refused(p, Status::kUnexpected, "w2_zero");
  p.record.numbers["use_fp8_w8a8"] = 1;
  expect_refused(p, Status::kUnsupported, "use_fp8_w8a8 = 1");
  p.record.tag = "triton";
  expect_refused(p, Status::kUnsupported, "tag");
}

TEST(Record, OfTheOtherPathsIsRefusedInTheSameOrder) {
  for (Packed p : every_path()) {
    if (p.record.tag == "lightop") continue;
    p.record.tensors["w13"].spec.layout = Layout::kColumnMajor;
    expect_refused(p, Status::kLayout, "w13");
    lengthen(p.record, "w2");
    expect_refused(p, Status::kShape, "w2");
    set_dtype(p.record, "w2", DType::kF64);
    expect_refused(p, Status::kDtype, "w2");
    p.record.tensors.erase("w13");
    expect_refused(p, Status::kMissing, "w13");
    p.record.numbers["kpack"] = 1;
    expect_refused(p, Status::kUnexpected, "kpack");
    p.record.tag = "lightop";
    expect_refused(p, Status::kUnsupported, "tag");
  }
}

TEST(Record, OfAnUnknownOrAnotherBackendsTagIsRefusedBeforeAnyFieldIsRead) {
  for (Packed p : every_path()) {
    const std::string own = p.record.tag;
    for (const std::string tag :
         {"triton", "lightop", "flashinfer_trtllm_fp8", "Triton", "lightop ", "marlin", ""}) {
      if (tag == own) continue;
      p.record.tag = tag;
      expect_refused(p, Status::kUnsupported, "\"" + tag + "\"");
      Packed bare{p.layer, {tag, {}, {}}, p.routing};
      expect_refused(bare, Status::kUnsupported, "\"" + tag + "\"");
    }
    Packed bare{p.layer, {own, {}, {}}, p.routing};
    expect_refused(bare, Status::kMissing, own == "lightop" ? "use_int8_w8a8" : "w13");
  }
}

/// With these flags: taken where they are the quant's own, else refused before any tensor is read.
void expect_mode(Packed p, int use_int8, int use_fp8) {
  const bool int8 = p.layer.problem.quant == "w8a8_int8";
  p.record.numbers["use_int8_w8a8"] = use_int8;
  p.record.numbers["use_fp8_w8a8"] = use_fp8;
  if (use_int8 == (int8 ? 1 : 0) && use_fp8 == (int8 ? 0 : 1)) {
    EXPECT_EQ(answer_to(p).status, Status::kOk);
    return;
  }
  p.record.tensors.clear();
  expect_refused(p, Status::kUnsupported, "use_int8_w8a8 = " + std::to_string(use_int8));
}

TEST(LightopRecord, HasExactlyTheModeOfItsQuant) {
  for (const std::size_t path : {0U, 1U, 2U}) {
    for (const auto& [use_int8, use_fp8] : {std::pair{1, 1}, {0, 0}, {0, 1}, {1, 0}, {2, 0}}) {
      expect_mode(every_path()[path], use_int8, use_fp8);
    }
  }
}

TEST(LightopRecord, NeedsItsOriginalShapesAndThatTheyFit) {
  for (const char* name : {"w13_rows", "w13_k", "w2_rows", "w2_k", "experts"}) {
    Packed p = lightop();
    const std::int64_t right = p.record.numbers.at(name);
    p.record.numbers.erase(name);
    expect_refused(p, Status::kMissing, name);
    // The padded size, which the panels would allow too, is not the original one.
    for (const std::int64_t wrong : {right + 1, right - 1, (right + 63) / 64 * 64, -right}) {
      p.record.numbers[name] = wrong;
      expect_refused(p, Status::kShape, name);
    }
  }
}

TEST(Record, DoesNotExcuseTheInputsThatComeWithIt) {
  for (Packed p : every_path()) {
    p.routing["topk_ids"] = test::i32_tensor({3, 1}, {2});
    expect_refused(p, Status::kUnsupported, "topk_ids has 2");
    p.routing["w13"] = p.layer.inputs.at("w13");
    expect_refused(p, Status::kUnexpected, "w13");
    p.record.tensors.erase("w2");
    expect_refused(p, Status::kMissing, "w2");
  }
}

/// One change to a good record, the class that it must be refused with and what must be named.
struct Mutation {
  Status wanted;
  std::string field;
};

/// A number below `count`, each as likely whatever the size of the test is.
std::size_t any_below(std::size_t count) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(0, count));
}

/// A key of a map, any of them.
template <class Map>
std::string any_key(const Map& map) {
  return std::next(map.begin(), static_cast<std::ptrdiff_t>(any_below(map.size())))->first;
}

Mutation change_presence(QuantRecord& record) {
  const bool number = !record.numbers.empty() && *rc::gen::arbitrary<bool>();
  if (*rc::gen::arbitrary<bool>()) {
    const std::string name = number ? any_key(record.numbers) : any_key(record.tensors);
    if (number) record.numbers.erase(name);
    if (!number) record.tensors.erase(name);
    return {Status::kMissing, name};
  }
  // A name that is there already, with something behind it, or of the other kind.
  const std::string name = any_key(record.tensors);
  if (*rc::gen::arbitrary<bool>()) {
    record.numbers[name] = *rc::gen::arbitrary<std::int64_t>();
    return {Status::kUnexpected, name};
  }
  record.tensors[name + "_inv"] = record.tensors.at(name);
  return {Status::kUnexpected, name + "_inv"};
}

Mutation change_dtype(QuantRecord& record) {
  const std::string name = any_key(record.tensors);
  constexpr std::size_t kTypes = static_cast<std::size_t>(DType::kE3m2fn) + 1;
  const auto was = static_cast<std::size_t>(record.tensors.at(name).spec.dtype);
  set_dtype(record, name, static_cast<DType>((was + 1 + any_below(kTypes - 1)) % kTypes));
  return {Status::kDtype, name};
}

Mutation change_shape(QuantRecord& record) {
  const std::string name = any_key(record.tensors);
  TensorSpec spec = record.tensors.at(name).spec;
  std::int64_t& length = spec.shape[any_below(spec.shape.size())];
  switch (any_below(4)) {
    case 0:
      length = *rc::gen::distinctFrom(rc::gen::inRange<std::int64_t>(0, 40), length);
      break;
    case 1:
      spec.shape.push_back(1);
      break;
    case 2:
      spec.shape.pop_back();
      break;
    default:
      spec.shape = {1, spec.elements()};
      if (record.tensors.at(name).spec.shape == spec.shape) spec.shape = {};
      break;
  }
  reshape(record, name, spec);
  return {Status::kShape, name};
}

Mutation change_layout(QuantRecord& record) {
  const std::string name = any_key(record.tensors);
  record.tensors[name].spec.layout = *rc::gen::element(
      Layout::kColumnMajor, Layout::kTmaAligned, Layout::kSwizzled128x4, Layout::kPackedInt32);
  return {Status::kLayout, name};
}

Mutation change_tag(QuantRecord& record) {
  record.tag = *rc::gen::distinctFrom(
      rc::gen::oneOf(rc::gen::element<std::string>("triton", "lightop", "flashinfer_trtllm_fp8"),
                     rc::gen::arbitrary<std::string>()),
      record.tag);
  return {Status::kUnsupported, "tag"};
}

Mutation change_number(QuantRecord& record) {
  const std::string name = any_key(record.numbers);
  std::int64_t& value = record.numbers[name];
  value = *rc::gen::distinctFrom(rc::gen::arbitrary<std::int64_t>(), value);
  if (name.starts_with("use_")) return {Status::kUnsupported, name};
  return {name == "kpack" ? Status::kLayout : Status::kShape, name};
}

void expect_refused_after(Mutation (*change)(QuantRecord&), Packed p) {
  const Mutation made = change(p.record);
  const Answer answer = answer_to(p);
  RC_LOG() << p.layer.problem.to_problem().text() << "\n"
           << made.field << " is refused with " << name_of(made.wanted) << "; the answer is "
           << name_of(answer.status) << " " << answer.message << "\n";
  RC_ASSERT(answer.status == made.wanted);
  RC_ASSERT(answer.message.find(made.field) != std::string::npos);
}

RC_GTEST_PROP(Record, WithAnySingleChangeIsRefusedWithTheClassOfThatChange, ()) {
  for (const Packed& p : every_path()) {
    for (const auto change :
         {change_presence, change_dtype, change_shape, change_layout, change_tag}) {
      expect_refused_after(change, p);
    }
    if (!p.record.numbers.empty()) expect_refused_after(change_number, p);
  }
}

}  // namespace
}  // namespace plumbline::device
