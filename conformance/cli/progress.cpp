#include "conformance/cli/progress.h"

#include <unistd.h>

#include <cstdlib>

namespace plumbline::cli {
namespace {

constexpr std::int64_t kShownFailures = 20;

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) != 0; }

bool wants_colour(std::FILE* stream) {
  const char* no_colour = std::getenv("NO_COLOR");
  return is_terminal(stream) && (no_colour == nullptr || *no_colour == '\0');
}

/// ANSI colour of a kind of outcome.
std::string_view ansi(Verdict verdict) {
  if (verdict == Verdict::kPass) return "\033[32m";
  return info_of(verdict).exit == 0 ? "\033[33m" : "\033[31m";
}

}  // namespace

std::string coloured(Verdict verdict, std::FILE* stream) {
  const std::string word(name_of(verdict));
  return wants_colour(stream) ? std::string(ansi(verdict)) + word + "\033[0m" : word;
}

std::string replay_line(const Record& record) {
  return "plumbline replay '" + record.case_id + "'" + record.options;
}

Progress::Progress(std::int64_t planned, std::FILE* stream)
    : planned_(planned), stream_(stream), terminal_(is_terminal(stream)) {}

void Progress::add(const Record& record) {
  ++done_;
  if (info_of(record.verdict).exit != 0) show_failure(record);
  show_line();
}

void Progress::show_failure(const Record& record) {
  ++failed_;
  if (failed_ > kShownFailures) return;
  if (terminal_) std::fprintf(stream_, "\r\033[K");
  std::fprintf(stream_, "%s  %s\n    %s: %s\n    %s\n", coloured(record.verdict, stream_).c_str(),
               record.case_id.c_str(), record.lane.c_str(), record.reason.c_str(),
               replay_line(record).c_str());
  if (failed_ == kShownFailures) {
    std::fprintf(stream_, "further failures are in records.csv and the report\n");
  }
}

std::string Progress::line() const {
  const auto now = std::chrono::steady_clock::now();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - begin_).count();
  return std::to_string(done_) + " of " + std::to_string(planned_) + " cases, " +
         std::to_string(failed_) + " failed, " + std::to_string(seconds) + " s";
}

void Progress::show_line() {
  if (terminal_) {
    constexpr std::chrono::milliseconds kBetween{100};
    const auto now = std::chrono::steady_clock::now();
    if (now - shown_ < kBetween && done_ != planned_) return;
    shown_ = now;
    std::fprintf(stream_, "\r\033[K%s", line().c_str());
  } else if (done_ * 10 / planned_ != (done_ - 1) * 10 / planned_) {
    std::fprintf(stream_, "%s\n", line().c_str());
  }
  std::fflush(stream_);
}

void Progress::finish() {
  if (terminal_ && done_ > 0) std::fprintf(stream_, "\r\033[K");
  std::fflush(stream_);
}

}  // namespace plumbline::cli
