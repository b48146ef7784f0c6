#pragma once
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "conformance/record/record.h"

namespace plumbline::cli {

/// The word of a verdict, in the colour of its kind where `stream` is a terminal and NO_COLOR is
/// not set.
std::string coloured(Verdict verdict, std::FILE* stream);

/// The command that repeats a record's case.
std::string replay_line(const Record& record);

/// Shows how a run gets on: on a terminal one line that is rewritten, elsewhere a line each tenth
/// of the way. Failures are shown as they come, the first twenty of them.
class Progress {
 public:
  Progress(std::int64_t planned, std::FILE* stream);
  void add(const Record& record);
  /// Ends the line that was being rewritten.
  void finish();

 private:
  void show_failure(const Record& record);
  void show_line();
  std::string line() const;

  std::int64_t planned_;
  std::FILE* stream_;
  bool terminal_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point shown_{};
  std::int64_t done_ = 0;
  std::int64_t failed_ = 0;
};

}  // namespace plumbline::cli
