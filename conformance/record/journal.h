#pragma once
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/record/cell.h"
#include "conformance/record/record.h"

/// The files that a run leaves behind as its truth: journal.jsonl (one case a line, append-only)
/// and plan.json (header, planned ids, grid). Their schema is conformance/record/journal.md.
namespace plumbline::record {

inline constexpr std::string_view kJournalName = "journal.jsonl";
inline constexpr std::string_view kPlanName = "plan.json";

/// A record as one JSON object on one line, without the line end. Numbers that JSON lacks are the
/// strings "nan", "inf" and "-inf"; bytes that are not UTF-8 become U+FFFD.
std::string to_line(const Record& record);

/// Reads one journal line back: from_line(to_line(r)) == r, field by field. Unknown keys are
/// ignored, so that a newer journal still reads. Throws BadInput(file, "line N", rule).
Record from_line(std::string_view text, std::string_view file, std::size_t line);

/// All records of a journal in the order of its lines; empty lines are passed over. A last line
/// that was torn by a killed run is dropped and `note` says so; any other broken line throws
/// BadInput(file, "line N", rule), as does a file that cannot be read.
std::vector<Record> read_journal(const std::filesystem::path& file, std::string* note = nullptr);

/// Writes the plan in one step: a reader sees the old file or the new one, never a part.
/// Throws BadInput naming the file where that fails.
void write_plan(const std::filesystem::path& file, const Plan& plan);

/// Throws BadInput(file, field, rule) where the file is missing, torn or foreign.
Plan read_plan(const std::filesystem::path& file);

/// Appends records to a journal, one system call a line, so that a line that `append` returned
/// from survives a kill of the process. Any number of threads may append.
class JournalWriter {
 public:
  /// Opens or creates the journal. A torn last line of an earlier run is cut off first.
  /// Throws BadInput naming the file.
  explicit JournalWriter(const std::filesystem::path& file);
  ~JournalWriter();
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;

  /// Throws BadInput where the line could not be written whole (disk full).
  void append(const Record& record);

 private:
  std::string file_;
  int descriptor_ = -1;
  std::mutex mutex_;
};

}  // namespace plumbline::record
