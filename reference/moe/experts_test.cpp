#include "reference/moe/experts.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "reference/formats/codec.h"
#include "reference/formats/layout.h"
#include "reference/formats/quant_tensors.h"
#include "reference/moe/permutation_gen.h"
#include "reference/ops/activation.h"
#include "reference/spec/status.h"

namespace plumbline::moe {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
const Activation kRelu2{Activation::Kind::kRelu2, 1.0, 0.0, 0.0};

Tensor tensor(DType dtype, std::vector<std::int64_t> shape, const std::vector<double>& values) {
  return formats::encode({dtype, std::move(shape), Layout::kLinear, 0}, values);
}

/// Two tokens of h = 2, two experts with i = 1, one chosen expert a token.
Tensors small_case() {
  return {{"x", tensor(DType::kF32, {2, 2}, {1, 2, 3, 4})},
          {"w13", tensor(DType::kF32, {2, 2, 2}, {1, 0, 0, 1, 0, 1, 1, 0})},
          {"w2", tensor(DType::kF32, {2, 2, 1}, {1, 10, 2, 20})},
          {"topk_ids", tensor(DType::kI32, {2, 1}, {0, 1})},
          {"topk_weights", tensor(DType::kF32, {2, 1}, {1, 0.5})}};
}

TEST(Experts, ComputeASmallCaseByHand) {
  const ExpertInputs in = decode_inputs(small_case(), "bf16");
  const Matrix out = experts(in, {});
  const double first = ops::activate({}, 1, 2);
  const double second = ops::activate({}, 4, 3);
  EXPECT_EQ(out(0, 0), first);
  EXPECT_EQ(out(0, 1), first * 10);
  EXPECT_EQ(out(1, 0), second * 2 * 0.5);
  EXPECT_EQ(out(1, 1), second * 20 * 0.5);
  EXPECT_EQ(experts(in, {}, 4.0), 4.0 * out);
}

TEST(Experts, AddBiasesAfterEachProduct) {
  Tensors tensors = small_case();
  tensors["w13_bias"] = tensor(DType::kF32, {2, 2}, {10, 20, 30, 40});
  tensors["w2_bias"] = tensor(DType::kF32, {2, 2}, {100, 200, 300, 400});
  const Matrix out = experts(decode_inputs(tensors, "bf16"), {});
  EXPECT_EQ(out(0, 0), ops::activate({}, 11, 22) + 100);
  EXPECT_EQ(out(1, 1), (ops::activate({}, 34, 43) * 20 + 400) * 0.5);
}

TEST(Experts, WithoutAGateTakeIRows) {
  Tensors tensors = small_case();
  tensors["w13"] = tensor(DType::kF32, {2, 1, 2}, {1, 1, 1, -1});
  const ExpertInputs in = decode_inputs(tensors, "bf16");
  const Matrix out = experts(in, kRelu2);
  EXPECT_EQ(out(0, 1), 90.0);
  EXPECT_EQ(out(1, 1), 0.0);
  EXPECT_THROW(experts(in, {}), BadInput);
}

TEST(Experts, BeyondTheWeightsReturnTheirInput) {
  Tensors tensors = small_case();
  tensors["topk_ids"] = tensor(DType::kI32, {2, 1}, {2, -1});
  const Matrix out = experts(decode_inputs(tensors, "bf16"), {});
  EXPECT_EQ(out.row(0), ops::to_matrix(std::vector<double>{1, 2}, 1, 2));
  EXPECT_EQ(out.row(1), Matrix::Zero(1, 2));
}

TEST(Experts, AreNotReadUnlessChosen) {
  Tensors tensors = small_case();
  tensors["w13"] = tensor(DType::kF32, {2, 2, 2}, {1, 0, 0, 1, kNan, kNan, kNan, kNan});
  tensors["topk_ids"] = tensor(DType::kI32, {2, 1}, {0, 0});
  EXPECT_TRUE(experts(decode_inputs(tensors, "bf16"), {}).allFinite());
}

TEST(DecodeInputs, MultiplyEachBlockByItsScale) {
  constexpr std::int64_t kWide = 130;
  Tensors tensors;
  tensors["x"] = tensor(DType::kF32, {1, kWide}, std::vector<double>(kWide, 1.0));
  tensors["w13"] = tensor(DType::kE4m3fn, {1, 2, kWide}, std::vector<double>(2 * kWide, 1.0));
  tensors["w2"] = tensor(DType::kE4m3fn, {1, kWide, 1}, std::vector<double>(kWide, 2.0));
  tensors["w13_scale"] = tensor(DType::kF32, {1, 1, 2}, {3, 5});
  tensors["w2_scale"] = tensor(DType::kF32, {1, 2, 1}, {7, 11});
  tensors["topk_ids"] = tensor(DType::kI32, {1, 1}, {0});
  tensors["topk_weights"] = tensor(DType::kF32, {1, 1}, {1});
  const ExpertInputs in = decode_inputs(tensors, "fp8_block128");
  EXPECT_EQ(in.w13[0](1, 127), 3.0);
  EXPECT_EQ(in.w13[0](1, 128), 5.0);
  EXPECT_EQ(in.w2[0](127, 0), 14.0);
  EXPECT_EQ(in.w2[0](128, 0), 22.0);
}

std::string refusal(Tensors tensors, std::string_view quant = "bf16") {
  try {
    decode_inputs(tensors, quant);
  } catch (const BadInput& bad) {
    return bad.what();
  }
  return "accepted";
}

TEST(DecodeInputs, NameTheTensorThatContradictsAnother) {
  const auto changed = [](std::string_view name, std::vector<std::int64_t> shape) {
    Tensors tensors = small_case();
    tensors[std::string(name)] = Tensor::zeros({DType::kF32, std::move(shape), Layout::kLinear, 0});
    return refusal(std::move(tensors));
  };
  EXPECT_EQ(refusal(small_case()), "accepted");
  EXPECT_TRUE(changed("x", {4}).starts_with("x: "));
  EXPECT_TRUE(changed("x", {2, 3}).starts_with("w2: "));
  EXPECT_TRUE(changed("w13", {2, 3, 2}).starts_with("w13: "));
  EXPECT_TRUE(changed("w13", {1, 2, 2}).starts_with("w13: "));
  EXPECT_TRUE(changed("w13_bias", {2, 3}).starts_with("w13_bias: "));
  EXPECT_TRUE(changed("w2_bias", {1, 2}).starts_with("w2_bias: "));
  EXPECT_TRUE(changed("topk_ids", {2, 1}).starts_with("topk_ids: "));
  EXPECT_TRUE(changed("topk_weights", {1, 2}).starts_with("topk_weights: "));
  EXPECT_TRUE(changed("w13_scale", {2, 1, 1}).starts_with("w13_scale: "));
}

TEST(DecodeInputs, NameWhatAQuantSchemeNeeds) {
  EXPECT_TRUE(refusal(small_case(), "no_such").starts_with("quant: "));
  EXPECT_TRUE(refusal(small_case(), "mxfp4").starts_with("w13_scale: "));
  EXPECT_TRUE(refusal(small_case(), "fp8_block128").starts_with("w13_scale: "));
  Tensors tensors = small_case();
  tensors["w13_scale"] = tensor(DType::kF32, {2, 1, 1}, {1, 1});
  EXPECT_TRUE(refusal(tensors, "fp8_block128").starts_with("w13: is e4m3fn"));
  tensors.erase("w13_scale");
  tensors["w13"] = tensor(DType::kE4m3fn, {2, 2, 2}, std::vector<double>(8, 1.0));
  EXPECT_TRUE(refusal(tensors).starts_with("w13: "));
  EXPECT_TRUE(refusal(tensors, "fp8_block128").starts_with("w13_scale: "));
}

/// A weight [1, rows, cols] quantised under `form`, added under `name`; its values after that.
std::vector<double> add_quantised(Tensors& tensors, const std::string& name,
                                  const formats::MatrixOf& matrix, const formats::QuantForm& form) {
  const formats::Quantized q = formats::quantize(matrix, form);
  for (const auto& part : formats::quant_parts(form, name, {1, matrix.rows, matrix.cols})) {
    const std::vector<double> values =
        part.role == formats::QuantRole::kCodes   ? formats::decode(q.codes)
        : part.role == formats::QuantRole::kScale ? formats::decode(q.scales)
        : part.role == formats::QuantRole::kZero  ? formats::decode(*q.zeros)
                                                  : std::vector<double>{q.global};
    tensors[part.name] = formats::to_layout(formats::encode(part.linear, values), part.spec.layout);
  }
  return formats::dequantize(q, form);
}

TEST(DecodeInputs, ReadTheWeightsOfEveryScheme) {
  constexpr std::int64_t kWide = 256;
  std::vector<double> values;
  for (int n = 0; n < kWide * kWide; ++n) values.push_back((n * 29 % 211 - 105) * 0.25);
  for (const QuantScheme& scheme : all_quant_schemes()) {
    const formats::QuantForm form = formats::weight_form(scheme);
    Tensors tensors;
    tensors["x"] = tensor(DType::kBf16, {1, kWide}, std::vector<double>(kWide, 1.0));
    tensors["topk_ids"] = tensor(DType::kI32, {1, 1}, {0});
    tensors["topk_weights"] = tensor(DType::kF32, {1, 1}, {1});
    const auto w13 = add_quantised(tensors, "w13", {values, kWide, kWide}, form);
    const auto w2 = add_quantised(tensors, "w2", {values, kWide, kWide}, form);
    const ExpertInputs in = decode_inputs(tensors, scheme.name);
    EXPECT_EQ(in.w13[0], ops::to_matrix(w13, kWide, kWide)) << scheme.name;
    EXPECT_EQ(in.w2[0], ops::to_matrix(w2, kWide, kWide)) << scheme.name;
  }
}

/// Small random inputs of exact integers with t tokens, e experts and k choices.
rc::Gen<ExpertInputs> any_inputs() {
  return rc::gen::exec([] {
    ExpertInputs in{*rc::gen::inRange(1, 6),
                    *rc::gen::inRange(1, 5),
                    *rc::gen::inRange(1, 4),
                    *rc::gen::inRange(1, 6),
                    *rc::gen::inRange(1, 4),
                    {},
                    {},
                    {},
                    {},
                    {},
                    {},
                    {}};
    const auto integers = [](std::int64_t rows, std::int64_t cols) {
      const auto values = *rc::gen::container<std::vector<int>>(
          static_cast<std::size_t>(rows * cols), rc::gen::inRange(-4, 5));
      return ops::to_matrix(std::vector<double>(values.begin(), values.end()), rows, cols);
    };
    in.x = integers(in.t, in.h);
    for (std::int64_t expert = 0; expert < in.e; ++expert) {
      in.w13.push_back(integers(in.i, in.h));
      in.w2.push_back(integers(in.h, in.i));
    }
    in.ids = *rc::gen::container<std::vector<std::int32_t>>(
        static_cast<std::size_t>(in.t * in.k),
        rc::gen::inRange<std::int32_t>(-1, static_cast<std::int32_t>(in.e) + 2));
    in.topk_weights = integers(in.t, in.k);
    return in;
  });
}

RC_GTEST_PROP(ExpertsLaws, RelabellingExpertsChangesNothing, ()) {
  const ExpertInputs in = *any_inputs();
  const auto relabel = *any_permutation(in.e);
  ExpertInputs other = in;
  for (std::size_t n = 0; n < relabel.size(); ++n) {
    other.w13[static_cast<std::size_t>(relabel[n])] = in.w13[n];
    other.w2[static_cast<std::size_t>(relabel[n])] = in.w2[n];
  }
  for (std::int32_t& id : other.ids) {
    if (id >= 0 && id < in.e) id = relabel[static_cast<std::size_t>(id)];
  }
  RC_ASSERT(experts(other, kRelu2) == experts(in, kRelu2));
}

RC_GTEST_PROP(ExpertsLaws, TokensDoNotKnowOfEachOther, ()) {
  const ExpertInputs in = *any_inputs();
  const Matrix together = experts(in, kRelu2);
  for (std::int64_t t = 0; t < in.t; ++t) {
    ExpertInputs alone = in;
    alone.t = 1;
    alone.x = in.x.row(t);
    alone.topk_weights = in.topk_weights.row(t);
    alone.ids.assign(in.ids.begin() + t * in.k, in.ids.begin() + (t + 1) * in.k);
    RC_ASSERT(experts(alone, kRelu2) == together.row(t));
  }
}

RC_GTEST_PROP(ExpertsLaws, OutputIsLinearInTheRouterWeights, ()) {
  const ExpertInputs in = *any_inputs();
  ExpertInputs doubled = in;
  doubled.topk_weights *= 2.0;
  RC_ASSERT(experts(doubled, kRelu2) == 2.0 * experts(in, kRelu2));
}

}  // namespace
}  // namespace plumbline::moe
