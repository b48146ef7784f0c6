#include "conformance/properties/relations.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "conformance/properties/generators.h"

namespace plumbline::properties {
namespace {

Implementation& embedded(const std::string& fault = "") {
  static std::map<std::string, std::unique_ptr<Implementation>> made;
  std::unique_ptr<Implementation>& one = made[fault];
  if (!one) one = make_embedded({64, fault});
  return *one;
}

bool harmless(Verdict verdict) { return info_of(verdict).exit == 0; }

class EveryRelation : public testing::TestWithParam<Relation> {};

TEST_P(EveryRelation, HoldsOfTheCorrectKernels) {
  const Relation relation = GetParam();
  std::int64_t judged = 0;
  const bool holds = rc::check(std::string(relation.statement), [&] {
    const Case c = *any_case_of(relation.applies_to);
    const Judgement judgement = relation.judge(c, embedded());
    judged += judgement.verdict == Verdict::kPass ? 1 : 0;
    RC_CLASSIFY(judgement.verdict == Verdict::kPass, "compared");
    RC_CLASSIFY(judgement.verdict == Verdict::kUntrusted, "untrusted");
    // Twice the radius may pass the RMS of heavy-tailed or cancelling data: no proof, no alarm.
    if (!harmless(judgement.verdict) && judgement.verdict != Verdict::kUntrusted) {
      RC_FAIL(c.id() + ": " + judgement.reason);
    }
  });
  EXPECT_TRUE(holds);
  EXPECT_GT(judged, 0) << "the relation had nothing to change in any generated case";
}

INSTANTIATE_TEST_SUITE_P(Relations, EveryRelation,
                         testing::ValuesIn(all_relations().begin(), all_relations().end()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Relations, HaveNamesOfTheirOwnThatAreFound) {
  std::set<std::string_view> names;
  for (const Relation& relation : all_relations()) {
    EXPECT_TRUE(names.insert(relation.name).second) << relation.name;
    EXPECT_EQ(find_relation(relation.name)->statement, relation.statement);
  }
  EXPECT_EQ(find_relation("no_such"), nullptr);
}

TEST(Relations, ScaledValuesSayNothingOfResultsBesideTheSubnormals) {
  const Judgement judgement =
      find_relation("scaled_values")
          ->judge(
              parse_case(
                  "attention.prefill/io=f32,mask=sliding,softcap=none,sinks=yes,out=absent,lse=yes,"
                  "lens=equal/b=1,hq=8,hkv=2,d=64,sq=33,sk=16,w=1/data=heavy_tailed/seed=0"),
              embedded());
  EXPECT_EQ(judgement.verdict, Verdict::kPass) << judgement.reason;
}

/// A case on which a relation sees a planted fault, without any expected value.
struct Kill {
  std::string fault;
  std::string relation;
  std::string case_id;
};

class AFault : public testing::TestWithParam<Kill> {};

TEST_P(AFault, IsKilledByARelation) {
  const Kill& kill = GetParam();
  const Relation* relation = find_relation(kill.relation);
  ASSERT_NE(relation, nullptr);
  const Case c = parse_case(kill.case_id);
  ASSERT_TRUE(applies(*relation, c.problem));
  EXPECT_EQ(relation->judge(c, embedded()).verdict, Verdict::kPass);
  const Judgement judged = relation->judge(c, embedded(kill.fault));
  EXPECT_EQ(judged.verdict, Verdict::kFail) << judged.reason;
  EXPECT_EQ(judged.lane, "relation:" + kill.relation);
}

INSTANTIATE_TEST_SUITE_P(
    Relations, AFault,
    testing::Values(
        Kill{"paged_tail_not_masked", "invisible_keys",
             "attention.decode/mask=full/b=3,sk=20,page=16/data=gaussian/seed=1"},
        Kill{"causal_off_by_one", "causal_prefix",
             "attention.prefill/mask=causal/b=2,sq=5,sk=9/data=gaussian/seed=1"},
        Kill{"window_off_by_one", "invisible_keys",
             "attention.prefill/mask=sliding/b=1,sq=4,sk=12,w=3/data=gaussian/seed=1"},
        Kill{"gqa_head_map_interleaved", "repeated_heads",
             "attention.prefill/mask=full/b=1,hq=4,hkv=2,sq=4,sk=12/data=gaussian/seed=1"},
        Kill{"out_not_written_in_one_mode", "out_modes",
             "attention.prefill/out=in_place/b=1,sq=4,sk=12/data=gaussian/seed=1"},
        Kill{"neighbour_token_scale", "permuted_tokens",
             "moe.experts/quant=fp8_block128/t=7,h=128,i=128,e=4,k=2/data=gaussian/seed=0"},
        Kill{"neighbour_token_scale", "batch_composition",
             "moe.experts/quant=fp8_block128/t=7,h=128,i=128,e=4,k=2/data=gaussian/seed=0"},
        Kill{"router_weight_twice", "scaled_router_weights",
             "moe.experts/quant=bf16/t=7,h=64,i=32,e=4,k=2/data=gaussian/seed=0"}),
    [](const auto& info) { return info.param.fault + "_" + info.param.relation; });

}  // namespace
}  // namespace plumbline::properties
