#include <gtest/gtest.h>

#include <numeric>

#include "reference/attention/attention.h"
#include "reference/formats/codec.h"
#include "reference/spec/status.h"

namespace plumbline::attention {
namespace {

Tensor tensor(DType dtype, std::vector<std::int64_t> shape, const std::vector<double>& values) {
  return formats::encode({dtype, std::move(shape), Layout::kLinear, 0}, values);
}

/// A tensor of that shape with elements first, first + 1, …
Tensor counting(std::vector<std::int64_t> shape, double first) {
  TensorSpec spec{DType::kF32, std::move(shape), Layout::kLinear, 0};
  std::vector<double> values(static_cast<std::size_t>(spec.elements()));
  std::iota(values.begin(), values.end(), first);
  return formats::encode(std::move(spec), values);
}

AttentionProblem prefill_problem() {
  AttentionProblem problem;
  problem.b = 2;
  problem.hq = 4;
  problem.hkv = 2;
  problem.d = 1;
  return problem;
}

/// Two sequences: one query on two keys, two queries on one key.
Tensors prefill_case() {
  return {{"q", counting({3, 4, 1}, 0)},
          {"k", counting({3, 2, 1}, 100)},
          {"v", counting({3, 2, 1}, 200)},
          {"cu_q", tensor(DType::kI32, {3}, {0, 1, 3})},
          {"cu_k", tensor(DType::kI32, {3}, {0, 2, 3})}};
}

TEST(Gather, CutsSequencesAtTheirOffsetsAndSharesKvHeads) {
  const std::vector<Head> heads = gather(prefill_problem(), prefill_case());
  ASSERT_EQ(heads.size(), 8U);
  EXPECT_EQ(heads[3].head, 3);
  EXPECT_EQ(heads[3].first_row, 0);
  EXPECT_EQ(heads[3].inputs.q, ops::to_matrix(std::vector<double>{3}, 1, 1));
  EXPECT_EQ(heads[3].inputs.k, ops::to_matrix(std::vector<double>{101, 103}, 2, 1));
  EXPECT_EQ(heads[5].head, 1);
  EXPECT_EQ(heads[5].first_row, 1);
  EXPECT_EQ(heads[5].inputs.q, ops::to_matrix(std::vector<double>{5, 9}, 2, 1));
  EXPECT_EQ(heads[5].inputs.v, ops::to_matrix(std::vector<double>{204}, 1, 1));
}

TEST(Gather, HandsTheProblemsSettingsToEveryHead) {
  AttentionProblem problem = prefill_problem();
  problem.mask = Mask::kSliding;
  problem.w = 7;
  problem.softcap = 30.0;
  problem.has_sinks = true;
  Tensors tensors = prefill_case();
  tensors["sinks"] = tensor(DType::kF32, {4}, {1, 2, 3, 4});
  const HeadInputs in = gather(problem, tensors)[6].inputs;
  EXPECT_EQ(in.mask, Mask::kSliding);
  EXPECT_EQ(in.w, 7);
  EXPECT_EQ(in.softcap, 30.0);
  EXPECT_EQ(in.scale, 1.0);
  EXPECT_EQ(in.sink, 3.0);
}

AttentionProblem decode_problem() {
  AttentionProblem problem;
  problem.decode = true;
  problem.b = 2;
  problem.hq = 1;
  problem.hkv = 1;
  problem.d = 1;
  problem.page = 2;
  return problem;
}

/// Three pages of two slots; three keys on pages 2 and 0, no key at all.
Tensors decode_case() {
  return {{"q", counting({2, 1, 1}, 0)},
          {"k_cache", counting({3, 2, 1, 1}, 100)},
          {"v_cache", counting({3, 2, 1, 1}, 200)},
          {"block_table", tensor(DType::kI32, {2, 2}, {2, 0, -1, -1})},
          {"seq_lens", tensor(DType::kI32, {2}, {3, 0})}};
}

TEST(Gather, FollowsTheBlockTableAndStopsAtTheLength) {
  const std::vector<Head> heads = gather(decode_problem(), decode_case());
  ASSERT_EQ(heads.size(), 2U);
  EXPECT_EQ(heads[0].inputs.k, ops::to_matrix(std::vector<double>{104, 105, 100}, 3, 1));
  EXPECT_EQ(heads[0].inputs.v, ops::to_matrix(std::vector<double>{204, 205, 200}, 3, 1));
  EXPECT_EQ(heads[1].first_row, 1);
  EXPECT_EQ(heads[1].inputs.k.rows(), 0);
}

std::string refusal(const AttentionProblem& problem, Tensors tensors, std::string_view name,
                    Tensor wrong) {
  tensors[std::string(name)] = std::move(wrong);
  try {
    gather(problem, tensors);
  } catch (const BadInput& bad) {
    return bad.what();
  }
  return "accepted";
}

TEST(Gather, NamesTheTensorThatContradictsAnother) {
  const auto prefill = [](std::string_view name, Tensor wrong) {
    return refusal(prefill_problem(), prefill_case(), name, std::move(wrong));
  };
  EXPECT_TRUE(prefill("q", counting({3, 3, 1}, 0)).starts_with("q: "));
  EXPECT_TRUE(prefill("v", counting({4, 2, 1}, 0)).starts_with("v: "));
  EXPECT_TRUE(prefill("cu_q", tensor(DType::kI32, {3}, {0, 4, 3})).starts_with("cu_q: "));
  EXPECT_TRUE(prefill("cu_q", tensor(DType::kI32, {2}, {0, 3})).starts_with("cu_q: "));
  EXPECT_TRUE(prefill("cu_k", tensor(DType::kI32, {3}, {0, 2, 4})).starts_with("cu_k: "));
  EXPECT_TRUE(prefill("cu_k", tensor(DType::kF32, {3}, {0, 2, 3})).starts_with("cu_k: "));
  const auto decode = [](std::string_view name, Tensor wrong) {
    return refusal(decode_problem(), decode_case(), name, std::move(wrong));
  };
  EXPECT_TRUE(decode("block_table", tensor(DType::kI32, {2, 2}, {2, 3, -1, -1}))
                  .starts_with("block_table: "));
  EXPECT_TRUE(
      decode("block_table", tensor(DType::kI32, {1, 2}, {2, 0})).starts_with("block_table"));
  EXPECT_TRUE(decode("seq_lens", tensor(DType::kI32, {2}, {5, 0})).starts_with("seq_lens: "));
  EXPECT_TRUE(decode("seq_lens", tensor(DType::kI32, {2}, {-1, 0})).starts_with("seq_lens: "));
  EXPECT_TRUE(decode("v_cache", counting({2, 2, 1, 1}, 0)).starts_with("v_cache: "));
}

TEST(GatherDense, GivesOneHeadASequenceAndQueryHead) {
  const Tensors tensors = {{"q", counting({2, 4, 1, 1}, 0)},
                           {"k", counting({2, 2, 3, 1}, 100)},
                           {"v", counting({2, 2, 3, 2}, 200)},
                           {"sinks", tensor(DType::kF32, {4}, {1, 2, 3, 4})}};
  HeadInputs settings;
  settings.scale = 0.125;
  const std::vector<HeadInputs> heads = gather_dense(tensors, settings);
  ASSERT_EQ(heads.size(), 8U);
  EXPECT_EQ(heads[6].q, ops::to_matrix(std::vector<double>{6}, 1, 1));
  EXPECT_EQ(heads[6].k, ops::to_matrix(std::vector<double>{109, 110, 111}, 3, 1));
  EXPECT_EQ(heads[6].v(0, 1), 219.0);
  EXPECT_EQ(heads[6].sink, 3.0);
  EXPECT_EQ(heads[6].scale, 0.125);
  Tensors wrong = tensors;
  wrong["k"] = counting({2, 3, 3, 1}, 0);
  EXPECT_THROW(gather_dense(wrong, settings), BadInput);
}

}  // namespace
}  // namespace plumbline::attention
