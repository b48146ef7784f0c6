#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "conformance/judge/judge.h"
#include "reference/spec/profile.h"

/// Judges results that others computed: case files (reference/spec/casefile.md) and formats.json.
namespace plumbline::golden {

/// One judged thing of a file.
struct Finding {
  std::string thing;  ///< "expected.out", "routing", "device.flash", "stage.gemm1",
                      ///< "float8_e4m3fn"
  judge::Judgement judgement;
  std::string profile;  ///< the promise it was judged under; empty: none is involved
};

/// What a file holds, judged. A file that cannot be judged has an error and no findings.
struct FileResult {
  std::string file;
  std::string error;  ///< one line: file, place, rule
  std::vector<Finding> findings;
  std::vector<std::string> notes;  ///< "w13 holds 3 NaN"
};

/// Judges everything a file states:
/// - expected.* against the reference, to the limits of bounds/golden.h (lane "golden");
/// - routing: the choice of router logits and correction bias, and its weights;
/// - every device.NAME against the reference under the first of its profiles that accepts it
///   (`profile`: that one only; else the file's own; else the written table);
/// - the stages of an expert layer, each against the stage before it (lane "staged");
/// - a formats.json: every code and every pair, bit for bit.
/// Never throws for what a file holds: bad input becomes FileResult::error.
FileResult check_file(const std::filesystem::path& path, const std::optional<Profile>& profile);
/// The same for bytes in memory; `name` stands for the file in messages.
FileResult check_bytes(std::span<const std::byte> bytes, const std::string& name,
                       const std::optional<Profile>& profile);

/// Exit status by the verdict table; 2 for an error.
int exit_of(const FileResult& result);

/// One line a finding: file, thing, verdict, margin, profile, reason.
std::string to_text(const FileResult& result);
/// The results as an array: an object a finding, or {file, error}. Margins JSON lacks are text.
nlohmann::json to_json(const std::vector<FileResult>& results);

}  // namespace plumbline::golden
