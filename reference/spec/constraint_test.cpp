#include "reference/spec/constraint.h"

#include <gtest/gtest.h>

#include "reference/spec/status.h"

namespace plumbline {
namespace {

Problem layer() { return {"moe.experts", {}, {{"h", 96}, {"i", 24}, {"k", 2}, {"e", 8}}}; }

TEST(Constraints, CompareTermsOfDimensionsAndNumbers) {
  EXPECT_TRUE(holds("h % 32 == 0", layer()));
  EXPECT_FALSE(holds("i % 16 == 0", layer()));
  EXPECT_TRUE(holds("2 * i % 16 == 0", layer()));
  EXPECT_TRUE(holds("k <= e", layer()));
  EXPECT_FALSE(holds("k>e", layer()));
  EXPECT_TRUE(holds("h / i != 3 * k", layer()));
}

TEST(Constraints, ADimensionThatIsNotThereIsZero) { EXPECT_TRUE(holds("z == 0", layer())); }

TEST(Constraints, NameTheFirstDimensionThatAProblemDoesNotHave) {
  EXPECT_EQ(unknown_dimension("2 * i % 16 == h", layer()), "");
  EXPECT_EQ(unknown_dimension("h % 32 == hh", layer()), "hh");
  EXPECT_EQ(unknown_dimension("z == 0", layer()), "z");
}

TEST(Constraints, ATextThatIsNoPredicateNamesTheCharacter) {
  for (const char* text : {"", "h", "h %", "h == ", "h = 0", "h == 0 0", "h % 0 == 0", "(h) == 0",
                           "9223372036854775808 == 0", "9223372036854775807 * h > 0", "== 1"}) {
    EXPECT_THROW(holds(text, layer()), BadInput) << text;
  }
}

}  // namespace
}  // namespace plumbline
