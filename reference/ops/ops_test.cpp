#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "reference/formats/codec.h"
#include "reference/ops/activation.h"
#include "reference/ops/gemm.h"
#include "reference/ops/required.h"
#include "reference/ops/softmax.h"
#include "reference/spec/status.h"

namespace plumbline::ops {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Eighths in [−32, 32]: sums and differences of them are exact.
rc::Gen<double> dyadic() {
  return rc::gen::map(rc::gen::inRange(-256, 257), [](int n) { return n / 8.0; });
}

rc::Gen<std::vector<double>> dyadic_row() {
  return rc::gen::nonEmpty(rc::gen::container<std::vector<double>>(dyadic()));
}

rc::Gen<Matrix> small_integers(Eigen::Index rows, Eigen::Index cols) {
  const auto size = static_cast<std::size_t>(rows * cols);
  return rc::gen::map(rc::gen::container<std::vector<int>>(size, rc::gen::inRange(-100, 101)),
                      [rows, cols](const std::vector<int>& values) {
                        return to_matrix(std::vector<double>(values.begin(), values.end()), rows,
                                         cols);
                      });
}

TEST(Matrices, DecodeTensorsRowByRow) {
  const TensorSpec spec{DType::kBf16, {2, 3}, Layout::kLinear, 0};
  const Matrix m = to_matrix(formats::encode(spec, std::vector<double>{1, 2, 3, 4, 5, 6}), 2, 3);
  EXPECT_EQ(m(0, 2), 3.0);
  EXPECT_EQ(m(1, 0), 4.0);
  EXPECT_THROW(to_matrix(std::vector<double>(5), 2, 3), ContractViolation);
}

RC_GTEST_PROP(Gemm, IsTheSumOfProductsOfRows, ()) {
  const auto m = *rc::gen::inRange(0, 5);
  const auto n = *rc::gen::inRange(1, 5);
  const auto k = *rc::gen::inRange(0, 40);
  const Matrix a = *small_integers(m, k);
  const Matrix b = *small_integers(n, k);
  const Matrix c = matmul_transposed(a, b);
  RC_ASSERT(c.rows() == m && c.cols() == n);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      const double sum =
          std::inner_product(a.row(i).begin(), a.row(i).end(), b.row(j).begin(), 0.0);
      RC_ASSERT(c(i, j) == sum);
    }
  }
}

TEST(Gemm, RefusesOperandsOfDifferentDepth) {
  EXPECT_THROW(matmul_transposed(Matrix::Zero(2, 3), Matrix::Zero(2, 4)), ContractViolation);
}

TEST(Gemm, ScalesRowsOfBothOperands) {
  const Matrix a = to_matrix(std::vector<double>{1, 2, 3, 4}, 2, 2);
  const Matrix b = to_matrix(std::vector<double>{1, 0, 0, 1, 1, 1}, 3, 2);
  const std::vector<double> scale_a = {2, 10};
  const std::vector<double> scale_b = {1, 100, 1000};
  const Matrix expected = to_matrix(std::vector<double>{2, 400, 6000, 30, 4000, 70000}, 2, 3);
  EXPECT_EQ(scaled_matmul_transposed(a, b, scale_a, scale_b), expected);
  const std::vector<double> one = {3};
  EXPECT_EQ(scaled_matmul_transposed(a, b, one, {}), 3.0 * matmul_transposed(a, b));
  EXPECT_THROW(scaled_matmul_transposed(a, b, scale_b, scale_b), ContractViolation);
}

TEST(Softmax, OfTwoEqualLogitsIsAHalfEach) {
  EXPECT_EQ(softmax(std::vector<double>{7, 7}), (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(softmax(std::vector<double>{7, 7, 7}, 7.0), (std::vector<double>(3, 0.25)));
  EXPECT_EQ(log_sum_exp(std::vector<double>{0, 0, 0}, 0.0), std::log(4.0));
}

RC_GTEST_PROP(Softmax, IsUnchangedByAddingAConstant, ()) {
  const std::vector<double> logits = *dyadic_row();
  const double sink = *rc::gen::oneOf(rc::gen::just(kNoSink), dyadic());
  const double shift = *rc::gen::inRange(-1000, 1000);
  std::vector<double> shifted = logits;
  for (double& logit : shifted) logit += shift;
  RC_ASSERT(softmax(shifted, sink + shift) == softmax(logits, sink));
}

RC_GTEST_PROP(Softmax, OfASinkIsThatOfOneMoreLogitThatIsThrownAway, ()) {
  const std::vector<double> logits = *dyadic_row();
  const double sink = *dyadic();
  std::vector<double> more = {sink};
  more.insert(more.end(), logits.begin(), logits.end());
  std::vector<double> p = softmax(more);
  p.erase(p.begin());
  RC_ASSERT(softmax(logits, sink) == p);
  RC_ASSERT(log_sum_exp(logits, sink) == log_sum_exp(more));
}

TEST(Softmax, OfNothingIsZeroAndItsLogIsMinusInfinity) {
  const std::vector<double> hidden(3, -kInf);
  EXPECT_EQ(softmax(hidden), std::vector<double>(3, 0.0));
  EXPECT_EQ(log_sum_exp(hidden), -kInf);
  EXPECT_EQ(log_sum_exp({}), -kInf);
  EXPECT_EQ(log_sum_exp({}, 2.5), 2.5);
  EXPECT_EQ(softmax(hidden, -3.0), std::vector<double>(3, 0.0));
}

TEST(Softmax, DoesNotOverflow) {
  EXPECT_EQ(softmax(std::vector<double>{1e300, 1e300}), (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(log_sum_exp(std::vector<double>{-1e300}), -1e300);
}

TEST(Softmax, ShowsNanEverywhere) {
  for (const double p : softmax(std::vector<double>{1.0, kNan, 2.0})) EXPECT_TRUE(std::isnan(p));
  EXPECT_TRUE(std::isnan(log_sum_exp(std::vector<double>{1.0, kNan})));
}

TEST(Activations, HaveTheirKnownValues) {
  const Activation silu;
  const Activation relu2{Activation::Kind::kRelu2, 1.0, 0.0, 0.0};
  const Activation swiglu{Activation::Kind::kSwiglu, 1.702, 1.0, 7.0};
  EXPECT_EQ(activate(silu, 0.0, 5.0), 0.0);
  EXPECT_EQ(activate(silu, std::log(3.0), 4.0), std::log(3.0) * sigmoid(std::log(3.0)) * 4.0);
  EXPECT_DOUBLE_EQ(sigmoid(std::log(3.0)), 0.75);
  EXPECT_EQ(activate(relu2, -3.0, 0.0), 0.0);
  EXPECT_EQ(activate(relu2, 3.0, kNan), 9.0);
  EXPECT_EQ(activate(swiglu, 2.0, 3.0), 2.0 * sigmoid(3.404) * 4.0);
}

TEST(Activations, ClampTheGateAboveAndTheUpOnBothSides) {
  const Activation limited{Activation::Kind::kSwiglu, 1.0, 0.0, 7.0};
  EXPECT_EQ(activate(limited, 100.0, 1.0), activate(limited, 7.0, 1.0));
  EXPECT_NE(activate(limited, -100.0, 1.0), activate(limited, -7.0, 1.0));
  EXPECT_EQ(activate(limited, 1.0, 100.0), activate(limited, 1.0, 7.0));
  EXPECT_EQ(activate(limited, 1.0, -100.0), activate(limited, 1.0, -7.0));
}

RC_GTEST_PROP(Activations, NeutralSwigluIsSilu, ()) {
  const Activation neutral{Activation::Kind::kSwiglu, 1.0, 0.0, 0.0};
  const double g = *dyadic();
  const double u = *dyadic();
  RC_ASSERT(activate(neutral, g, u) == activate(Activation{}, g, u));
}

TEST(Activations, LetNanThrough) {
  for (const Activation& act : {Activation{}, Activation{Activation::Kind::kRelu2, 1, 0, 0},
                                Activation{Activation::Kind::kSwiglu, 1.702, 1.0, 7.0}}) {
    EXPECT_TRUE(std::isnan(activate(act, kNan, 1.0))) << act.text();
    EXPECT_EQ(std::isnan(activate(act, 1.0, kNan)), act.gated()) << act.text();
  }
}

TEST(Activations, TakeGateColumnsThenUpColumns) {
  const Matrix gemm1 = to_matrix(std::vector<double>{1, 2, 30, 40}, 1, 4);
  const Matrix out = activate_rows({}, gemm1);
  ASSERT_EQ(out.cols(), 2);
  EXPECT_EQ(out(0, 0), activate({}, 1.0, 30.0));
  EXPECT_EQ(out(0, 1), activate({}, 2.0, 40.0));
  EXPECT_EQ(activate_rows({Activation::Kind::kRelu2, 1, 0, 0}, gemm1).cols(), 4);
  EXPECT_THROW(activate_rows({}, Matrix::Zero(1, 3)), ContractViolation);
}

TEST(Sigmoid, NeitherOverflowsNorLosesItsTail) {
  EXPECT_EQ(sigmoid(-1000.0), 0.0);
  EXPECT_EQ(sigmoid(1000.0), 1.0);
  EXPECT_EQ(sigmoid(-700.0), std::exp(-700.0));
  EXPECT_EQ(softplus(1000.0), 1000.0);
  EXPECT_EQ(softplus(-700.0), std::exp(-700.0));
  EXPECT_EQ(softplus(0.0), std::log1p(1.0));
}

std::string refusal_of(void (*act)(const Tensors&), const Tensors& tensors) {
  try {
    act(tensors);
  } catch (const BadInput& bad) {
    return bad.what();
  }
  return "";
}

TEST(Required, NamesTheTensorAndTheRule) {
  const Tensors tensors = {{"ids", Tensor::zeros({DType::kF32, {2, 3}, Layout::kLinear, 0})}};
  EXPECT_EQ(refusal_of([](const Tensors& t) { required(t, "x", 1); }, tensors),
            "x: this tensor is missing");
  EXPECT_EQ(refusal_of([](const Tensors& t) { required(t, "ids", 1); }, tensors),
            "ids: has 1 dimensions, not f32 [2, 3]");
  EXPECT_EQ(refusal_of(
                [](const Tensors& t) {
                  require_shape("ids", t.at("ids"), {3, 2});
                },
                tensors),
            "ids: is [3, 2], not f32 [2, 3]");
  EXPECT_EQ(refusal_of([](const Tensors& t) { required_integers(t, "ids", 2); }, tensors),
            "ids: is i32 or i64, not f32 [2, 3]");
}

}  // namespace
}  // namespace plumbline::ops
