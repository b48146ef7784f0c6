#include "conformance/judge/guard.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstring>

#include "reference/formats/codec.h"

namespace plumbline::judge {
namespace {

TEST(GuardedBuffer, IsWholeAfterItsOwnBytesWereWritten) {
  for (const Edge edge : {Edge::kEnd, Edge::kStart}) {
    for (const std::size_t size : {0, 1, 15, 16, 4096, 10000}) {
      GuardedBuffer buffer(size, edge);
      std::memset(buffer.data(), 0xAB, size);
      EXPECT_EQ(buffer.check(), std::nullopt) << size;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 16, 0U);
    }
  }
}

TEST(GuardedBuffer, NamesTheFirstOverwrittenByteAndItsDistance) {
  GuardedBuffer buffer(10, Edge::kEnd);
  buffer.data()[12] = std::byte{0x2A};
  buffer.data()[13] = std::byte{0x2B};
  EXPECT_EQ(buffer.check(), "byte 2 behind its end was overwritten with 0x2a (2 bytes in all)");
  GuardedBuffer other(10, Edge::kEnd);
  *(other.data() - 8) = std::byte{1};
  EXPECT_EQ(other.check(), "byte 8 before its start was overwritten with 0x01 (1 bytes in all)");
}

TEST(GuardedBufferDeathTest, EndsAtAnUnmappedPage) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  GuardedBuffer buffer(32, Edge::kEnd);
  volatile std::byte* data = buffer.data();
  EXPECT_DEATH(data[32] = std::byte{1}, "");
}

TEST(GuardedBufferDeathTest, StartsBehindAnUnmappedPageInTheRepeat) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  GuardedBuffer buffer(32, Edge::kStart);
  volatile std::byte* data = buffer.data();
  EXPECT_DEATH(*(data - 1) = std::byte{1}, "");
}

TEST(GuardedBuffer, ReadingItsSlackGivesNan) {
  GuardedBuffer buffer(8, Edge::kEnd);
  float behind = 0.0F;
  std::memcpy(&behind, buffer.data() + 8, sizeof behind);
  EXPECT_TRUE(std::isnan(behind));
  std::uint16_t code = 0;
  std::memcpy(&code, buffer.data() + 8, sizeof code);
  EXPECT_TRUE(std::isnan(formats::decode(DType::kBf16, code)));
}

TEST(Canary, IsNanWhereTheFormatHasOne) {
  for (const Format& format : all_formats()) {
    if (!format.is_float() || format.specials == Specials::kFinite) continue;
    EXPECT_TRUE(std::isnan(formats::decode(format.dtype, canary(format.dtype)))) << format.name;
  }
}

Tensors two_tensors() {
  TensorSpec a;
  a.dtype = DType::kBf16;
  a.shape = {2, 3};
  TensorSpec b;
  b.dtype = DType::kI32;
  b.shape = {4};
  return {{"x", formats::encode(a, std::vector<double>{1, 2, 3, 4, 5, 6})},
          {"ids", formats::encode(b, std::vector<double>{7, 8, 9, 10})}};
}

TEST(GuardedTensors, GiveBackWhatWasPutIn) {
  const Tensors tensors = two_tensors();
  const GuardedTensors guarded(tensors, Edge::kStart);
  EXPECT_EQ(guarded.copies(), tensors);
  EXPECT_EQ(guarded.changed(tensors), std::nullopt);
}

TEST(GuardedTensors, NameTheInputElementThatWasChanged) {
  const Tensors tensors = two_tensors();
  GuardedTensors guarded(tensors, Edge::kEnd);
  guarded.views().at("x").data[2 * 4] ^= std::byte{1};
  EXPECT_EQ(guarded.changed(tensors), "input x[1, 1] was changed");
  const GuardedTensors outputs(std::map<std::string, TensorSpec>{}, Edge::kEnd);
  const Judgement judged = guards(guarded, tensors, outputs);
  EXPECT_EQ(judged.verdict, Verdict::kFail);
  EXPECT_EQ(judged.lane, "guard");
}

TEST(GuardedTensors, SeeTheFirstWrittenElementOfAnOutput) {
  TensorSpec spec;
  spec.dtype = DType::kBf16;
  spec.shape = {2, 2};
  GuardedTensors outputs({{"out", spec}}, Edge::kEnd);
  EXPECT_EQ(outputs.written(), std::nullopt);
  EXPECT_EQ(unwritten(outputs.copy("out")), 4);
  outputs.views().at("out").data[3 * 2] = std::byte{0};
  EXPECT_EQ(outputs.written(), "out[1, 1] was written");
  EXPECT_EQ(unwritten(outputs.copy("out")), 3);
}

RC_GTEST_PROP(GuardedBuffer, SeesAnyOneOverwrittenByteOfItsPages, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(0, 9000);
  const Edge edge = *rc::gen::element(Edge::kEnd, Edge::kStart);
  GuardedBuffer buffer(size, edge);
  constexpr std::size_t kPage = 4096;
  const std::size_t inner = std::max(kPage, (size + kPage - 1) / kPage * kPage);
  const std::size_t slack = (size + 15) / 16 * 16 - size;
  const std::size_t before = edge == Edge::kEnd ? inner - size - slack : 0;
  const std::size_t after = inner - size - before;
  RC_PRE(before + after > 0);
  const auto at = *rc::gen::inRange<std::size_t>(0, before + after);
  const std::ptrdiff_t offset = at < before ? -static_cast<std::ptrdiff_t>(at) - 1
                                            : static_cast<std::ptrdiff_t>(size + at - before);
  RC_CLASSIFY(at < before, "before");
  buffer.data()[offset] ^= std::byte{0x40};
  RC_ASSERT(buffer.check().has_value());
}

}  // namespace
}  // namespace plumbline::judge
