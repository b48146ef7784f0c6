#include "reference/formats/layout.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

namespace plumbline::formats {
namespace {

/// A linear tensor whose bytes count up from 1 and are never 0.
Tensor counting(DType dtype, std::vector<std::int64_t> shape) {
  Tensor tensor = Tensor::zeros({dtype, std::move(shape)});
  for (std::size_t n = 0; n < tensor.data.size(); ++n) {
    tensor.data[n] = static_cast<std::byte>(n % 255 + 1);
  }
  return tensor;
}

std::vector<int> bytes_of_tensor(const Tensor& tensor) {
  const auto bytes = tensor.as<std::uint8_t>();
  return {bytes.begin(), bytes.end()};
}

TEST(Layout, ColumnMajorExchangesTheLastTwoDimensionsInMemory) {
  const Tensor stored = to_layout(counting(DType::kU8, {2, 2, 3}), Layout::kColumnMajor);
  EXPECT_EQ(stored.spec, (TensorSpec{DType::kU8, {2, 2, 3}, Layout::kColumnMajor}));
  EXPECT_EQ(bytes_of_tensor(stored), (std::vector<int>{1, 4, 2, 5, 3, 6, 7, 10, 8, 11, 9, 12}));
}

TEST(Layout, TmaAlignedPadsColumnsToSixteenBytes) {
  const Tensor stored = to_layout(counting(DType::kF32, {3, 2}), Layout::kTmaAligned);
  EXPECT_EQ(stored.spec.shape, (std::vector<std::int64_t>{4, 2}));
  const auto words = stored.as<std::uint32_t>();
  const Tensor linear = counting(DType::kF32, {3, 2});
  const auto from = linear.as<std::uint32_t>();
  const std::vector<std::uint32_t> expected = {from[0], from[2], from[4], 0,
                                               from[1], from[3], from[5], 0};
  EXPECT_EQ(std::vector<std::uint32_t>(words.begin(), words.end()), expected);
  EXPECT_EQ(laid_out({DType::kU8, {17, 1}}, Layout::kTmaAligned)->shape[0], 32);
  EXPECT_EQ(laid_out({DType::kF64, {3, 1}}, Layout::kTmaAligned)->shape[0], 4);
}

TEST(Layout, SwizzledTilesAreThoseOfTheFormula) {
  const TensorSpec spec{DType::kE8m0fnu, {200, 6}};
  Tensor linear = Tensor::zeros(spec);
  const auto place = [&](std::int64_t row, std::int64_t col) {
    Tensor one = linear;
    one.data[static_cast<std::size_t>(row * 6 + col)] = std::byte{1};
    const auto bytes = bytes_of_tensor(to_layout(one, Layout::kSwizzled128x4));
    return std::find(bytes.begin(), bytes.end(), 1) - bytes.begin();
  };
  EXPECT_EQ(laid_out(spec, Layout::kSwizzled128x4)->shape, (std::vector<std::int64_t>{256, 8}));
  EXPECT_EQ(place(0, 1), 1);
  EXPECT_EQ(place(1, 0), 16);
  EXPECT_EQ(place(32, 0), 4);
  EXPECT_EQ(place(127, 3), 31 * 16 + 3 * 4 + 3);
  EXPECT_EQ(place(0, 4), 512);
  EXPECT_EQ(place(128, 0), 1024);
  EXPECT_EQ(place(199, 5), 3 * 512 + 7 * 16 + 2 * 4 + 1);
}

TEST(Layout, PackedWordsBeginWithTheLowestByte) {
  const Tensor stored = to_layout(counting(DType::kE8m0fnu, {2, 5}), Layout::kPackedInt32);
  EXPECT_EQ(stored.spec, (TensorSpec{DType::kI32, {2, 2}, Layout::kPackedInt32}));
  const auto words = stored.as<std::int32_t>();
  EXPECT_EQ(std::vector<std::int32_t>(words.begin(), words.end()),
            (std::vector<std::int32_t>{0x04030201, 0x5, 0x09080706, 0xA}));
}

TEST(Layout, NibblesBeginWithTheLowOne) {
  Tensor codes = Tensor::zeros({DType::kE2m1fn, {2, 3}});
  for (std::size_t n = 0; n < 6; ++n) codes.data[n] = static_cast<std::byte>(n + 10);
  const Tensor packed = pack_nibbles(codes);
  EXPECT_EQ(packed.spec, (TensorSpec{DType::kU8, {2, 2}}));
  EXPECT_EQ(bytes_of_tensor(packed), (std::vector<int>{0xBA, 0x0C, 0xED, 0x0F}));
  EXPECT_EQ(unpack_nibbles(packed, codes.spec), codes);
}

RC_GTEST_PROP(LayoutLaws, EveryLayoutGivesItsTensorBack, ()) {
  const LayoutRule rule =
      *rc::gen::elementOf(std::vector<LayoutRule>(all_layouts().begin(), all_layouts().end()));
  const DType dtype = rule.element_bytes == 1
                          ? *rc::gen::element(DType::kE8m0fnu, DType::kE4m3fn, DType::kI8)
                          : *rc::gen::element(DType::kU8, DType::kBf16, DType::kF32, DType::kF64);
  std::vector<std::int64_t> shape = {*rc::gen::inRange(0, 3), *rc::gen::inRange(0, 270),
                                     *rc::gen::inRange(0, 11)};
  if (*rc::gen::arbitrary<bool>()) shape.erase(shape.begin());
  const Tensor linear = counting(dtype, shape);
  const Tensor stored = to_layout(linear, rule.layout);
  RC_ASSERT(stored.spec.layout == rule.layout);
  RC_ASSERT(from_layout(stored, linear.spec) == linear);
  // Every byte of the tensor is there once; all else is zero.
  const auto set = std::count_if(stored.data.begin(), stored.data.end(),
                                 [](std::byte b) { return b != std::byte{0}; });
  RC_ASSERT(static_cast<std::size_t>(set) == linear.data.size());
}

RC_GTEST_PROP(LayoutLaws, PaddingIsNotLookedAt, ()) {
  const Layout layout =
      *rc::gen::element(Layout::kTmaAligned, Layout::kSwizzled128x4, Layout::kPackedInt32);
  const Tensor linear = counting(DType::kU8, {*rc::gen::inRange(1, 140), *rc::gen::inRange(1, 9)});
  Tensor stored = to_layout(linear, layout);
  for (std::byte& b : stored.data) b = b == std::byte{0} ? std::byte{0xFF} : b;
  RC_ASSERT(from_layout(stored, linear.spec) == linear);
}

RC_GTEST_PROP(LayoutLaws, NibblesComeBack, ()) {
  Tensor codes = counting(DType::kU8, {*rc::gen::inRange(0, 5), *rc::gen::inRange(0, 9)});
  for (std::byte& code : codes.data) code &= std::byte{0x0F};
  RC_ASSERT(unpack_nibbles(pack_nibbles(codes), codes.spec) == codes);
}

TEST(Layout, RefusesWhatItCannotHold) {
  const auto status = [](const TensorSpec& spec, Layout layout) {
    const auto stored = laid_out(spec, layout);
    return stored ? Status::kOk : stored.refusal().status;
  };
  EXPECT_EQ(status({DType::kF32, {2, 2}}, Layout::kSwizzled128x4), Status::kDtype);
  EXPECT_EQ(status({DType::kBf16, {2, 2}}, Layout::kPackedInt32), Status::kDtype);
  EXPECT_EQ(status({DType::kU8, {2}}, Layout::kSwizzled128x4), Status::kShape);
  EXPECT_EQ(status({DType::kU8, {}}, Layout::kPackedInt32), Status::kShape);
  EXPECT_EQ(status({DType::kU8, {-1, 2}}, Layout::kColumnMajor), Status::kShape);
  EXPECT_EQ(status({DType::kU8, {std::int64_t{1} << 40, std::int64_t{1} << 40}}, Layout::kLinear),
            Status::kShape);
  EXPECT_EQ(status({DType::kU8, {2, 2}, Layout::kColumnMajor}, Layout::kLinear), Status::kLayout);
}

TEST(Layout, RefusesSizesThatDoNotBelongTogether) {
  const TensorSpec linear{DType::kU8, {130, 5}};
  for (const LayoutRule& rule : all_layouts()) {
    const Tensor stored = to_layout(counting(DType::kU8, {130, 5}), rule.layout);
    for (const TensorSpec& other :
         {TensorSpec{DType::kU8, {260, 5}}, TensorSpec{DType::kU8, {130, 9}},
          TensorSpec{DType::kU8, {1, 130, 5}}}) {
      EXPECT_THROW(from_layout(stored, other), BadInput) << name_of(rule.layout);
    }
    Tensor shorter = stored;
    shorter.data.pop_back();
    EXPECT_THROW(from_layout(shorter, linear), BadInput) << name_of(rule.layout);
    Tensor short_linear = counting(DType::kU8, {130, 5});
    short_linear.data.pop_back();
    EXPECT_THROW(to_layout(short_linear, rule.layout), BadInput) << name_of(rule.layout);
  }
  EXPECT_THROW(unpack_nibbles(counting(DType::kU8, {2, 2}), {DType::kU8, {2, 5}}), BadInput);
  EXPECT_THROW(pack_nibbles(counting(DType::kF32, {2, 2})), BadInput);
  EXPECT_THROW(pack_nibbles(counting(DType::kU8, {4, 5})), BadInput) << "a code of five bits";
}

}  // namespace
}  // namespace plumbline::formats
