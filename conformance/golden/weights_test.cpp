#include "conformance/golden/weights.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "conformance/golden/safetensors.h"
#include "conformance/golden/sha256.h"
#include "conformance/golden/testing.h"

namespace plumbline::golden {
namespace {

std::string hash_of(const std::string& text) { return sha256(std::as_bytes(std::span(text))); }

TEST(Sha256, MeetsTheExamplesOfTheStandard) {
  EXPECT_EQ(hash_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hash_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hash_of(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/// mixtral with w13 outside, in a folder of its own that is removed afterwards.
class WeightsByHash : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "plumbline.XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    std::filesystem::create_directory(folder_ / "weights");
    content_ = read_safetensors(golden_file("mixtral.safetensors"));
    const Tensor w13 = content_.tensors.at("w13");
    content_.tensors.erase("w13");
    hash_ = sha256(w13.data);
    content_.metadata["weights"] =
        R"({"w13": {"sha256": ")" + hash_ + R"(", "dtype": "F32", "shape": [16, 48, 32]}})";
    std::ofstream stream(folder_ / "weights" / (hash_ + ".bin"), std::ios::binary);
    stream.write(reinterpret_cast<const char*>(w13.data.data()),
                 static_cast<std::streamsize>(w13.data.size()));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  FileResult check() const {
    write_safetensors(folder_ / "case.safetensors", content_);
    return check_file(folder_ / "case.safetensors", std::nullopt);
  }
  std::filesystem::path weights() const { return folder_ / "weights" / (hash_ + ".bin"); }

  std::filesystem::path folder_;
  Safetensors content_;
  std::string hash_;
};

TEST_F(WeightsByHash, AreReadFromBesideTheFile) {
  const FileResult result = check();
  EXPECT_EQ(finding_of(result, "expected.out").judgement.verdict, Verdict::kPass) << result.error;
}

TEST_F(WeightsByHash, OfAnotherContentAreRefused) {
  std::fstream stream(weights(), std::ios::in | std::ios::out | std::ios::binary);
  stream.put('x');
  stream.close();
  EXPECT_NE(check().error.find("has another hash"), std::string::npos);
}

TEST_F(WeightsByHash, ThatAreMissingOrTornAreRefused) {
  std::filesystem::resize_file(weights(), 100);
  EXPECT_NE(check().error.find("takes 98304 bytes"), std::string::npos) << check().error;
  std::filesystem::remove(weights());
  EXPECT_NE(check().error.find("no such file"), std::string::npos);
}

TEST_F(WeightsByHash, WithAWrongStatementAreRefused) {
  content_.metadata["weights"] = R"({"w13": {"sha256": "../../etc", "dtype": "F32", "shape": []}})";
  EXPECT_NE(check().error.find("64 hex digits"), std::string::npos);
  content_.metadata["weights"] = R"({"w13": 3})";
  EXPECT_NE(check().error.find("has no field sha256"), std::string::npos);
}

}  // namespace
}  // namespace plumbline::golden
