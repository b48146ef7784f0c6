#include "reference/formats/block_scale.h"

#include <gtest/gtest.h>

#include "reference/spec/status.h"

namespace plumbline::formats {
namespace {

TEST(BlockScale, PartialBlocksAtTheEdgesUseTheirOwnScale) {
  const BlockShape shape{3, 5, 2, 2};
  ASSERT_EQ(shape.scale_rows(), 2);
  ASSERT_EQ(shape.scale_cols(), 3);
  const std::vector<double> ones(15, 1.0);
  const std::vector<double> scales = {1, 2, 3, 4, 5, 6};
  const std::vector<double> expected = {1, 1, 2, 2, 3, 1, 1, 2, 2, 3, 4, 4, 5, 5, 6};
  EXPECT_EQ(dequantize(ones, scales, shape), expected);
}

TEST(BlockScale, ARowOfOneBlockIsPerChannel) {
  const std::vector<double> elements = {1, 2, 3, 4};
  const std::vector<double> scales = {10, 100};
  EXPECT_EQ(dequantize(elements, scales, {2, 2, 1, 2}), (std::vector<double>{10, 20, 300, 400}));
}

TEST(BlockScale, RefusesScalesOfAnotherShape) {
  const std::vector<double> elements(4, 1.0);
  const std::vector<double> scales(2, 1.0);
  EXPECT_THROW(dequantize(elements, scales, {2, 2, 2, 2}), ContractViolation);
  EXPECT_THROW(dequantize(elements, scales, {2, 3, 1, 3}), ContractViolation);
}

}  // namespace
}  // namespace plumbline::formats
