#include "conformance/golden/safetensors.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <string>

#include "conformance/golden/testing.h"
#include "reference/spec/status.h"

namespace plumbline::golden {
namespace {

/// The bytes of a file with this header and as many bytes of data.
std::vector<std::byte> file_with(const std::string& header, std::size_t data) {
  std::vector<std::byte> bytes(8 + header.size() + data);
  for (std::size_t i = 0; i < 8; ++i) {
    bytes[i] = static_cast<std::byte>(std::uint64_t{header.size()} >> (8 * i) & 0xFF);
  }
  std::memcpy(bytes.data() + 8, header.data(), header.size());
  return bytes;
}

/// The message that refuses these bytes; empty: they were read.
std::string refusal(const std::vector<std::byte>& bytes) {
  try {
    parse_safetensors(bytes, "a.safetensors");
  } catch (const BadInput& error) {
    return error.what();
  }
  return "";
}

std::string refusal(const std::string& header, std::size_t data) {
  return refusal(file_with(header, data));
}

std::string entry(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

/// One line, the file first.
void expect_refused(const std::string& message, const std::string& rule) {
  EXPECT_NE(message.find(rule), std::string::npos) << message;
  EXPECT_EQ(message.find("a.safetensors: "), 0U) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

TEST(Safetensors, ReadsTensorsAndMetadata) {
  const auto bytes =
      file_with(R"({"__metadata__":{"kind":"moe"},"x":)" + entry("F32", "[2,1]", "[0,8]") + "}", 8);
  const Safetensors content = parse_safetensors(bytes, "a.safetensors");
  EXPECT_EQ(content.metadata.at("kind"), "moe");
  EXPECT_EQ(content.tensors.at("x").spec.text(), "f32 [2, 1]");
}

TEST(Safetensors, TakesScalarsAndEmptyTensors) {
  EXPECT_EQ(refusal("{\"x\":" + entry("F32", "[]", "[0,4]") + "}", 4), "");
  EXPECT_EQ(refusal("{\"x\":" + entry("F32", "[0,7]", "[0,0]") + "}", 0), "");
}

TEST(Safetensors, RefusesWhatIsNotSafetensors) {
  expect_refused(refusal(std::vector<std::byte>(3)), "8 bytes of header length");
  expect_refused(refusal(std::vector<std::byte>(40, std::byte{'x'})), "not a safetensors file");
  expect_refused(refusal("{not json", 0), "is not JSON: error at byte 3");
  expect_refused(refusal("[1]", 0), "must be a JSON object");
  expect_refused(refusal(std::string(200, '['), 0), "nested more than 32 levels");
}

TEST(Safetensors, RefusesWrongEntries) {
  expect_refused(refusal("{\"x\":" + entry("F31", "[1]", "[0,4]") + "}", 4),
                 "unknown dtype \"F31\"");
  expect_refused(refusal("{\"x\":" + entry("F32", "[-1]", "[0,4]") + "}", 4), "at least 0, not -1");
  expect_refused(refusal("{\"x\":" + entry("F32", "[1.5]", "[0,4]") + "}", 4),
                 "at least 0, not 1.5");
  expect_refused(refusal("{\"x\":" + entry("F32", "[2]", "[0,4]") + "}", 4),
                 "f32 [2] takes 8 bytes, data_offsets give 4");
  expect_refused(refusal("{\"x\":" + entry("F32", "[4294967296,4294967296,16]", "[0,4]") + "}", 4),
                 "overflows");
  expect_refused(refusal(R"({"x":{"dtype":"F32","shape":[1]}})", 4), "has no field data_offsets");
  expect_refused(refusal(R"({"__metadata__":{"k":3}})", 0), "all metadata values are strings");
  expect_refused(refusal(R"({"x":3})", 0), "must be an object");
}

TEST(Safetensors, RefusesOffsetsThatDoNotTileTheData) {
  const std::string two = "{\"x\":" + entry("F32", "[1]", "[0,4]") + ",\"y\":";
  expect_refused(refusal(two + entry("F32", "[1]", "[2,6]") + "}", 8), "overlaps");
  expect_refused(refusal(two + entry("F32", "[1]", "[8,12]") + "}", 12), "leaves a gap");
  expect_refused(refusal(two + entry("F32", "[1]", "[4,8]") + "}", 12), "end at byte 8 of 12");
  expect_refused(refusal(two + entry("F32", "[1]", "[4,8]") + "}", 7), "not inside the 7 bytes");
  expect_refused(refusal(two + entry("F32", "[1]", "[8,4]") + "}", 8), "not inside");
}

TEST(Safetensors, RefusesNamesThatStandTwice) {
  const std::string x = "\"x\":" + entry("F32", "[1]", "[0,4]");
  expect_refused(refusal("{" + x + "," + x + "}", 4), "the key \"x\" stands twice");
}

TEST(Safetensors, NamesWithLineEndsStayOnOneLine) {
  expect_refused(refusal("{\"x\\ny\":" + entry("F32", "[2]", "[0,4]") + "}", 4), "x\\ny");
}

TEST(Safetensors, MissingFilesAndFoldersAreNamed) {
  EXPECT_THROW(read_safetensors("no_such.safetensors"), BadInput);
  try {
    read_file(golden_file(""));
    FAIL() << "a folder was read";
  } catch (const BadInput& error) {
    EXPECT_NE(std::string(error.what()).find("is a folder"), std::string::npos);
  }
}

TEST(Safetensors, EveryCutOfAFileIsRefused) {
  const std::vector<std::byte> whole = read_file(golden_file("full_0.safetensors"));
  for (std::size_t size = 0; size < whole.size(); size += 97) {
    const std::vector<std::byte> torn(whole.begin(), whole.begin() + static_cast<long>(size));
    EXPECT_NE(refusal(torn), "") << "cut to " << size << " bytes";
  }
}

RC_GTEST_PROP(SafetensorsLaw, ReadsBackWhatItWrote, ()) {
  Safetensors content;
  content.metadata = *rc::gen::map(rc::gen::arbitrary<std::map<std::uint8_t, std::uint16_t>>(),
                                   [](const std::map<std::uint8_t, std::uint16_t>& pairs) {
                                     std::map<std::string, std::string, std::less<>> texts;
                                     for (const auto& [key, value] : pairs) {
                                       texts["key" + std::to_string(key)] = std::to_string(value);
                                     }
                                     return texts;
                                   });
  const int count = *rc::gen::inRange(0, 4);
  for (int n = 0; n < count; ++n) {
    TensorSpec spec;
    do {
      spec.dtype = *rc::gen::elementOf(std::vector<DType>{DType::kF64, DType::kF32, DType::kBf16,
                                                          DType::kF16, DType::kI8, DType::kE4m3fn});
      spec.shape =
          *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, 5));
    } while (spec.shape.size() > 4);
    Tensor tensor = Tensor::zeros(spec);
    for (std::byte& byte : tensor.data) {
      byte = static_cast<std::byte>(*rc::gen::inRange(0, 256));
    }
    content.tensors["tensor " + std::to_string(n)] = tensor;
  }
  const Safetensors back = parse_safetensors(to_safetensors(content), "a.safetensors");
  RC_ASSERT(back.metadata == content.metadata);
  RC_ASSERT(back.tensors == content.tensors);
}

}  // namespace
}  // namespace plumbline::golden
