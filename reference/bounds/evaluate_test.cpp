#include "reference/bounds/evaluate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/formats/codec.h"
#include "reference/spec/problems.h"
#include "reference/spec/status.h"

namespace plumbline::bounds {
namespace {

Tensor ramp(std::vector<std::int64_t> shape, double step) {
  TensorSpec spec{DType::kBf16, std::move(shape)};
  std::vector<double> values;
  for (std::int64_t n = 0; n < spec.elements(); ++n) {
    values.push_back(std::sin(step * static_cast<double>(n + 1)));
  }
  return formats::encode(spec, values);
}

Tensor ints(const std::vector<double>& values) {
  return formats::encode({DType::kI32, {std::ssize(values)}}, values);
}

AttentionProblem two_sequences() {
  AttentionProblem p;
  p.b = 2;
  p.hq = 2;
  p.hkv = 1;
  p.d = 8;
  p.sq = 3;
  p.sk = 4;
  p.lengths = Lengths::kWithEmpty;
  return p;
}

/// The first sequence has 3 rows and 4 keys, the second 1 row and none.
Tensors inputs() {
  Tensors tensors;
  tensors["q"] = ramp({4, 2, 8}, 0.7);
  tensors["k"] = ramp({4, 1, 8}, 1.3);
  tensors["v"] = ramp({4, 1, 8}, 2.1);
  tensors["cu_q"] = ints({0, 3, 4});
  tensors["cu_k"] = ints({0, 4, 4});
  return tensors;
}

TEST(Evaluate, PutsEachRowAndHeadInItsPlace) {
  const ExpectedTensors expected = evaluate(two_sequences().to_problem(), inputs(), Profile{});
  const Expected& out = expected.at("out");
  EXPECT_EQ(out.shape, (std::vector<std::int64_t>{4, 2, 8}));
  EXPECT_EQ(out.dtype, DType::kBf16);
  const Expected& lse = expected.at("lse");
  EXPECT_EQ(lse.shape, (std::vector<std::int64_t>{2, 4}));
  for (std::size_t n = 0; n < 48; ++n) EXPECT_GT(out.radius[n], 0.0) << n;
  for (std::size_t n = 48; n < 64; ++n) EXPECT_EQ(out.value[n], 0.0) << n;
  for (const std::size_t empty : {3U, 7U}) {
    EXPECT_EQ(lse.value[empty], -std::numeric_limits<double>::infinity());
    EXPECT_EQ(lse.radius[empty], 0.0);
  }
  EXPECT_GT(lse.radius[0], 0.0);
}

TEST(Evaluate, LeavesOutTheLseThatNobodyAskedFor) {
  AttentionProblem p = two_sequences();
  p.has_lse = false;
  EXPECT_EQ(evaluate(p.to_problem(), inputs(), Profile{}).count("lse"), 0U);
}

TEST(Evaluate, NamesWhatIsMissingAndWhatItCannotBound) {
  Tensors torn = inputs();
  torn.erase("q");
  EXPECT_THROW(evaluate(two_sequences().to_problem(), torn, Profile{}), BadInput);
  EXPECT_THROW(evaluate(RouteProblem{}.to_problem(), inputs(), Profile{}), BadInput);
}

}  // namespace
}  // namespace plumbline::bounds
