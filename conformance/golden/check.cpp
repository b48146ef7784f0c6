#include "conformance/golden/check.h"

#include <cmath>
#include <cstdio>
#include <new>

#include "conformance/golden/judge_golden.h"
#include "conformance/golden/weights.h"
#include "reference/formats/codec.h"
#include "reference/spec/status.h"

namespace plumbline::golden {
namespace {

using nlohmann::json;

std::string_view text_of_bytes(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// JSON by its name, or by a first brace that cannot be a header length: a safetensors file begins
/// with 8 bytes of length, whose upper half is zero.
bool is_json(std::span<const std::byte> bytes, std::string_view name) {
  if (name.ends_with(".json")) return true;
  return bytes.size() >= 8 && bytes[0] == std::byte{'{'} && bytes[7] != std::byte{0};
}

/// Judging goes on with NaN among the inputs; whoever reads the verdict has to know of them.
std::vector<std::string> nan_notes(const CaseFile& file) {
  std::vector<std::string> notes;
  for (const auto& [name, tensor] : file.tensors) {
    if (!format_of(tensor.spec.dtype).is_float()) continue;
    std::int64_t count = 0;
    for (const double value : formats::decode(tensor)) count += std::isnan(value) ? 1 : 0;
    if (count > 0) notes.push_back(name + " holds " + std::to_string(count) + " NaN");
  }
  return notes;
}

/// A promise for a result that is not there is a slip of the pen that would go unseen.
void check_profile_names(const CaseFile& file) {
  const std::optional<json> profiles = file.json("profile");
  if (!profiles) return;
  if (!profiles->is_object()) {
    file.refuse_key("profile", "must be a JSON object: device to profile");
  }
  for (const auto& [name, profile] : profiles->items()) {
    if (file.find("device." + name) != nullptr || file.text("stages_of") == name) continue;
    file.refuse_key("profile", "names " + shown(name) + ", but there is no tensor device." + name);
  }
}

Findings check_case(const CaseFile& file, const std::optional<Profile>& profile) {
  const std::optional<std::string> kind = file.text("kind");
  if (!kind) file.refuse_key("kind", "is missing: not a case file");
  check_profile_names(file);
  if (*kind == "moe") return check_moe(file, profile);
  if (*kind == "attention") return check_attention(file, profile);
  if (*kind == "gemm") return check_gemm(file, profile);
  file.refuse_key("kind", "unknown kind " + shown(*kind) + "; known: moe, attention, gemm");
}

/// Readers further down do not know the file's name.
std::string with_file(const std::string& what, const std::string& file) {
  return what.starts_with(file) ? what : file + ": " + what;
}

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.4g", value);
  return text;
}

json number_json(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

json worst_json(const WorstElement& worst) {
  return {{"position", worst.position},    {"expected", number_json(worst.expected)},
          {"got", number_json(worst.got)}, {"radius", number_json(worst.radius)},
          {"ulp", number_json(worst.ulp)}, {"margin", number_json(worst.margin)}};
}

json finding_json(const FileResult& result, const Finding& finding) {
  const judge::Judgement& judged = finding.judgement;
  json worst = json::array();
  for (const WorstElement& element : judged.worst) worst.push_back(worst_json(element));
  return {{"file", result.file},
          {"thing", finding.thing},
          {"verdict", name_of(judged.verdict)},
          {"lane", judged.lane},
          {"margin", number_json(judged.margin)},
          {"profile", finding.profile},
          {"reason", judged.reason},
          {"elements", judged.elements},
          {"compared", judged.compared},
          {"worst", worst},
          {"notes", result.notes}};
}

}  // namespace

FileResult check_bytes(std::span<const std::byte> bytes, const std::string& name,
                       const std::optional<Profile>& profile) {
  FileResult result;
  result.file = name;
  try {
    if (is_json(bytes, name)) {
      result.findings = check_formats(text_of_bytes(bytes), name);
      return result;
    }
    CaseFile file = parse_case_file(bytes, name);
    load_weights(file, std::filesystem::path(name).parent_path());
    result.findings = check_case(file, profile);
    if (result.findings.empty()) {
      throw BadInput(name, "", "holds nothing to judge: no routing, expected.* or device.*");
    }
    result.notes = nan_notes(file);
  } catch (const BadInput& error) {
    result.findings.clear();
    result.error = with_file(error.what(), name);
  } catch (const ContractViolation& error) {
    result.findings.clear();
    result.error = name + ": cannot be judged: " + error.what();
  } catch (const std::bad_alloc&) {
    result.findings.clear();
    result.error = name + ": its shapes need more memory than this machine has";
  }
  return result;
}

FileResult check_file(const std::filesystem::path& path, const std::optional<Profile>& profile) {
  try {
    return check_bytes(read_file(path), path.string(), profile);
  } catch (const BadInput& error) {
    FileResult result;
    result.file = path.string();
    result.error = error.what();
    return result;
  }
}

int exit_of(const FileResult& result) {
  int exit = result.error.empty() ? 0 : 2;
  for (const Finding& finding : result.findings) {
    exit = worse_exit(exit, info_of(finding.judgement.verdict).exit);
  }
  return exit;
}

std::string to_text(const FileResult& result) {
  std::string text;
  for (const Finding& finding : result.findings) {
    const judge::Judgement& judged = finding.judgement;
    text += result.file + "  " + finding.thing + "  " + std::string(name_of(judged.verdict));
    if (judged.elements > 0) text += "  margin " + number_text(judged.margin);
    if (!finding.profile.empty()) text += "  profile " + finding.profile;
    text += "  " + judged.reason;
    for (const std::string& note : result.notes) text += "; " + note;
    text += "\n";
  }
  return text;
}

json to_json(const std::vector<FileResult>& results) {
  json array = json::array();
  for (const FileResult& result : results) {
    if (!result.error.empty()) array.push_back({{"file", result.file}, {"error", result.error}});
    for (const Finding& finding : result.findings) array.push_back(finding_json(result, finding));
  }
  return array;
}

}  // namespace plumbline::golden
