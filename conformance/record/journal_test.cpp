#include "conformance/record/journal.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cmath>
#include <fstream>
#include <limits>
#include <thread>

#include "conformance/record/file.h"
#include "reference/spec/status.h"

namespace plumbline {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

/// A folder of its own for one test, removed afterwards.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "plumbline.XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

Record sample() {
  Record record;
  record.case_id = "moe.experts/backend=triton,quant=bf16/t=13,h=64/data=gaussian/seed=7";
  record.verdict = Verdict::kFail;
  record.lane = "W";
  record.reason = "out[3, 17] = nan, 0.25 ± 0.001 is right";
  record.margin = kNan;
  record.seconds = 0.0123;
  record.implementation = "embedded";
  record.path = "triton";
  record.profile = "f32 accumulation";
  record.target = "host";
  record.wave = 64;
  record.device = "host";
  record.elements = 832;
  record.compared = 832;
  record.rms_expected = 0.7;
  record.bits = "00c0ffee00c0ffee";
  record.options = " --wave 32";
  record.worst = {{"out", {3, 17}, 0.25, kNan, 0.001, kInf, kNan},
                  {"out", {0, 1}, 0.1, 0.1000001, 1e-3, -0.25, 0.0001}};
  record.sketch.ulp_histogram[6] = 831;
  record.sketch.ulp_histogram[13] = 1;
  record.sketch.margin_quantiles[7] = kInf;
  record.sketch.group = "expert";
  record.sketch.group_maxima = {0.5, kNan};
  return record;
}

void append_text(const std::filesystem::path& file, std::string_view text) {
  std::ofstream(file, std::ios::app | std::ios::binary) << text;
}

std::string message_of(const std::filesystem::path& file) {
  try {
    record::read_journal(file);
  } catch (const BadInput& bad) {
    return bad.what();
  }
  return "read";
}

TEST(JournalLine, GivesEveryFieldBack) {
  const std::string line = record::to_line(sample());
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const Record back = record::from_line(line, "j", 1);
  EXPECT_EQ(record::to_line(back), line);
  EXPECT_EQ(back.worst.at(0).position, (std::vector<std::int64_t>{3, 17}));
  EXPECT_TRUE(std::isnan(back.margin));
  EXPECT_TRUE(std::isinf(back.worst.at(0).ulp));
  EXPECT_TRUE(std::isnan(back.sketch.group_maxima.at(1)));
  EXPECT_EQ(back.sketch.ulp_histogram[13], 1);
  EXPECT_EQ(back.sketch.group, "expert");
}

TEST(JournalLine, WritesNumbersThatJsonLacksAsWords) {
  const std::string line = record::to_line(sample());
  EXPECT_NE(line.find(R"("margin":"nan")"), std::string::npos);
  EXPECT_NE(line.find(R"("ulp":"inf")"), std::string::npos);
}

TEST(JournalLine, ReplacesBytesThatAreNotUtf8) {
  Record record = sample();
  record.reason =
      "a\xff"
      "b";
  EXPECT_EQ(record::from_line(record::to_line(record), "j", 1).reason,
            "a\xEF\xBF\xBD"
            "b");
}

TEST(JournalLine, ReadsAllVerdicts) {
  for (const VerdictInfo& row : all_verdicts()) {
    Record record = sample();
    record.verdict = row.verdict;
    EXPECT_EQ(record::from_line(record::to_line(record), "j", 1).verdict, row.verdict);
  }
}

TEST(JournalLine, PassesOverKeysItDoesNotKnow) {
  EXPECT_EQ(record::from_line(R"({"case":"a","verdict":"pass","lane":"W","reason":"","margin":0.5,)"
                              R"("seconds":1,"colour":"mauve"})",
                              "j", 1)
                .margin,
            0.5);
}

TEST(JournalLine, NamesLineAndRuleOfWhatItRefuses) {
  const auto complaint = [](std::string_view text) -> std::string {
    try {
      record::from_line(text, "journal.jsonl", 7);
    } catch (const BadInput& bad) {
      return bad.what();
    }
    return "read";
  };
  EXPECT_EQ(complaint("{"), "journal.jsonl: line 7: must be one JSON object");
  EXPECT_EQ(complaint("[]"), "journal.jsonl: line 7: must be one JSON object");
  EXPECT_EQ(complaint("{}"), "journal.jsonl: line 7: \"case\" is missing");
  EXPECT_EQ(complaint(R"({"case":1})"), "journal.jsonl: line 7: \"case\" must be a string");
  EXPECT_EQ(complaint(R"({"case":"a","verdict":"fine"})"),
            "journal.jsonl: line 7: \"verdict\" must be a word of the verdict table");
  EXPECT_EQ(complaint(R"({"case":"a","verdict":"pass","lane":"","reason":"","margin":"big"})"),
            "journal.jsonl: line 7: \"margin\" must be a number, \"nan\", \"inf\" or \"-inf\"");
}

RC_GTEST_PROP(JournalLine, KeepsHostileStrings, ()) {
  Record record = sample();
  const auto bytes = *rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127));
  record.case_id = bytes + "<script>\"\n\r\\";
  record.reason = "\u2028\xF0\x9F\x94\xA7" + bytes;
  const std::string line = record::to_line(record);
  RC_ASSERT(line.find('\n') == std::string::npos);
  const Record back = record::from_line(line, "j", 1);
  RC_ASSERT(back.case_id == record.case_id);
  RC_ASSERT(back.reason == record.reason);
}

RC_GTEST_PROP(JournalLine, KeepsEveryDouble, ()) {
  const auto bits = *rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>());
  Record record = sample();
  record.margin = std::bit_cast<double>(bits);
  const double back = record::from_line(record::to_line(record), "j", 1).margin;
  RC_CLASSIFY(std::isnan(record.margin));
  if (std::isnan(record.margin)) {
    RC_ASSERT(std::isnan(back));
  } else {
    RC_ASSERT(std::bit_cast<std::uint64_t>(back) == bits);
  }
}

void append_samples(record::JournalWriter& writer, int count) {
  for (int n = 0; n < count; ++n) writer.append(sample());
}

TEST(Journal, KeepsTheLinesOfManyThreadsWhole) {
  const Folder folder;
  {
    record::JournalWriter writer(folder / "journal.jsonl");
    std::array<std::thread, 4> threads;
    for (std::thread& thread : threads) thread = std::thread([&] { append_samples(writer, 100); });
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(record::read_journal(folder / "journal.jsonl").size(), 400U);
}

TEST(Journal, DropsATornLastLineWithANote) {
  const Folder folder;
  const auto file = folder / "journal.jsonl";
  record::JournalWriter(file).append(sample());
  const std::string line = record::to_line(sample());
  append_text(file, std::string_view(line).substr(0, line.size() / 2));
  std::string note;
  EXPECT_EQ(record::read_journal(file, &note).size(), 1U);
  EXPECT_EQ(note, file.string() + ": line 2: torn by a run that was killed, dropped");
}

TEST(Journal, RefusesABrokenLineInTheMiddle) {
  const Folder folder;
  const auto file = folder / "journal.jsonl";
  append_text(file,
              record::to_line(sample()) + "\n{\"case\":\n" + record::to_line(sample()) + "\n");
  EXPECT_EQ(message_of(file), file.string() + ": line 2: must be one JSON object");
}

TEST(Journal, RefusesABrokenLastLineThatHasItsLineEnd) {
  const Folder folder;
  append_text(folder / "j", "{}\n");
  EXPECT_NE(message_of(folder / "j").find("line 1: \"case\" is missing"), std::string::npos);
}

TEST(Journal, IsContinuedAfterATornLine) {
  const Folder folder;
  const auto file = folder / "journal.jsonl";
  record::JournalWriter(file).append(sample());
  append_text(file, "{\"case\":\"to");
  record::JournalWriter(file).append(sample());
  std::string note;
  EXPECT_EQ(record::read_journal(file, &note).size(), 2U);
  EXPECT_EQ(note, "");
}

TEST(Journal, IsContinuedAfterALineWithoutItsEnd) {
  const Folder folder;
  append_text(folder / "j", record::to_line(sample()));
  record::JournalWriter(folder / "j").append(sample());
  EXPECT_EQ(record::read_journal(folder / "j").size(), 2U);
}

TEST(Journal, NamesAFileThatIsMissing) {
  const Folder folder;
  EXPECT_EQ(message_of(folder / "none"),
            (folder / "none").string() + ": must be a file that can be read");
  EXPECT_THROW(record::JournalWriter((folder / "none") / "j"), BadInput);
}

}  // namespace
}  // namespace plumbline
