#include "conformance/run/isolated.h"

#include <gtest/gtest.h>

#include <string>

#include "conformance/cases/legal.h"
#include "conformance/record/journal.h"
#include "reference/spec/status.h"

namespace plumbline::run {
namespace {

const Case& some_case() {
  static const Case one =
      cases::case_from_id("moe.route/scoring=softmax/t=3,e=8,k=2,g=1,kg=1/data=gaussian/seed=1");
  return one;
}

/// The program's own child for a library of device/abi/odd_library.cpp.
std::vector<std::string> child(const std::string& odd) {
  return {PLUMBLINE_PROGRAM, "serve-cases", "--implementation",
          std::string(PLUMBLINE_LIBRARIES) + "/libodd_" + odd + ".so"};
}

/// A child written in sh, ready at once: ids on its standard input, records to descriptor 4.
std::vector<std::string> shell(const std::string& script) {
  const std::string ready = std::string("printf 'ready {\"name\":\"sh\",\"version\":\"\",") +
                            "\"device\":\"\",\"target\":\"\",\"wave\":0,\"classified\":true," +
                            "\"paths\":[]}\\n' >&4; ";
  // Descriptors beyond 9 need a shell that knows them; /dev/fd does not.
  const std::string channels = "exec 4>/dev/fd/" + std::to_string(kRecordsOut) + " </dev/fd/" +
                               std::to_string(kIdsIn) + "; ";
  return {"/bin/sh", "-c", channels + ready + script};
}

std::string refusal_of(const std::vector<std::string>& command) {
  try {
    const CaseProcess process(command);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "";
}

TEST(CaseProcess, ALibraryThatEndsTheProcessIsACrashPinnedOnItsCase) {
  Record blank;
  blank.implementation = "odd";
  for (const char* odd : {"crashes", "throws"}) {
    CasePool pool(child(odd));
    for (int again = 0; again < 2; ++again) {
      const Record record = pool.run(some_case(), blank);
      EXPECT_EQ(record.verdict, Verdict::kCrash) << odd;
      EXPECT_EQ(record.case_id, some_case().id());
      EXPECT_EQ(record.implementation, "odd");
      const char* why = odd == std::string("crashes") ? "signal 6" : "threw: out of the library";
      EXPECT_NE(record.reason.find(why), std::string::npos) << record.reason;
    }
  }
}

TEST(CaseProcess, TheLastWordsOfTheDeadAreKept) {
  CasePool pool(shell("read id; echo out of memory >&2; exit 7"));
  const Record record = pool.run(some_case(), {});
  EXPECT_NE(record.reason.find("exit status 7; its last words: out of memory"), std::string::npos)
      << record.reason;
}

TEST(CaseProcess, WhatIsNoRecordIsACrashAndNeverHangs) {
  const std::pair<const char*, const char*> scripts[] = {
      {"read id; echo garbage >&4; sleep 60", "something else than a record"},
      {"read id; exit 3", "exit status 3"},
  };
  for (const auto& [script, reason] : scripts) {
    CasePool pool(shell(script));
    const Record record = pool.run(some_case(), {});
    EXPECT_EQ(record.verdict, Verdict::kCrash);
    EXPECT_NE(record.reason.find(reason), std::string::npos) << record.reason;
  }
}

TEST(CaseProcess, ARecordOfAnotherCaseIsNotTaken) {
  Record other;
  other.case_id = "moe.route/scoring=softmax/t=1,e=1,k=1/data=gaussian/seed=0";
  CasePool pool(shell("read id; echo '" + record::to_line(other) + "' >&4; sleep 60"));
  const Record record = pool.run(some_case(), {});
  EXPECT_EQ(record.verdict, Verdict::kCrash);
  EXPECT_NE(record.reason.find("another case"), std::string::npos) << record.reason;
}

TEST(CaseProcess, AChildAnswersOneCaseAfterTheOther) {
  CaseProcess process(child("strange_status"));
  for (int again = 0; again < 3; ++again) {
    Record record;
    EXPECT_EQ(process.run(some_case(), record), "");
    EXPECT_EQ(record.case_id, some_case().id());
    EXPECT_NE(record.reason.find("status 77"), std::string::npos) << record.reason;
  }
}

TEST(CaseProcess, WhatCannotBeOpenedIsRefusedInOneLine) {
  EXPECT_NE(refusal_of(child("opens_with_a_crash")).find("opens_with_a_crash.so: could not be"),
            std::string::npos);
  EXPECT_NE(refusal_of(child("other_version")).find("abi_version: is 2"), std::string::npos);
  EXPECT_NE(refusal_of({"/nowhere/program"}).find("/nowhere/program"), std::string::npos);
}

}  // namespace
}  // namespace plumbline::run
