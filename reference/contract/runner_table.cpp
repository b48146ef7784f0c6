#include "reference/contract/runner_table.h"

#include <libfccp/csv.h>

#include <algorithm>
#include <array>

#include "reference/contract/tables.h"
#include "reference/spec/identity.h"
#include "reference/spec/ids.h"
#include "reference/spec/status.h"

namespace plumbline::contract {
namespace {

constexpr std::array<std::string_view, 3> kConstructs = {"yes", "no", "refused"};
constexpr std::array<std::string_view, 4> kStatuses = {"documented", "read", "executed", "assumed"};

using Reader = io::CSVReader<5, io::trim_chars<' ', '\t'>, io::no_quote_escape<','>>;

/// The first rule that a row breaks; empty: none.
std::string broken_rule(const std::vector<RunnerRow>& before, const RunnerRow& row,
                        const std::string& constructs) {
  const auto same = [&](const RunnerRow& other) {
    return other.quant == row.quant && other.backend == row.backend;
  };
  if (!quant_from_name(row.quant)) return "quant is a quant scheme, not \"" + row.quant + "\"";
  if (find_tagged_type("runner_backend")->value(row.backend) == nullptr) {
    return "backend is a runner backend, not \"" + row.backend + "\"";
  }
  if (std::find(kConstructs.begin(), kConstructs.end(), constructs) == kConstructs.end()) {
    return "constructs is yes, no or refused, not \"" + constructs + "\"";
  }
  if (std::find(kStatuses.begin(), kStatuses.end(), row.status) == kStatuses.end()) {
    return "status is documented, read, executed or assumed, not \"" + row.status + "\"";
  }
  if (std::any_of(before.begin(), before.end(), same)) {
    return row.quant + " and " + row.backend + " stand once";
  }
  return "";
}

std::vector<RunnerRow> read_rows(Reader& reader, std::string_view file) {
  reader.read_header(io::ignore_no_column, "quant", "backend", "constructs", "evidence", "status");
  std::vector<RunnerRow> rows;
  RunnerRow row;
  std::string constructs;
  while (reader.read_row(row.quant, row.backend, constructs, row.evidence, row.status)) {
    const std::string rule = broken_rule(rows, row, constructs);
    if (!rule.empty()) {
      throw BadInput(file, "line " + std::to_string(reader.get_file_line()), rule);
    }
    const auto word = std::find(kConstructs.begin(), kConstructs.end(), constructs);
    row.constructs = static_cast<Constructs>(word - kConstructs.begin());
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

std::vector<RunnerRow> parse_runner_table(std::string_view text, std::string_view file) {
  try {
    Reader reader(std::string(file), text.data(), text.data() + text.size());
    return read_rows(reader, file);
  } catch (const io::error::base& error) {
    throw BadInput(file, "table", error.what());
  }
}

const std::vector<RunnerRow>& runner_table() {
  static const std::vector<RunnerRow> rows =
      parse_runner_table(runner_ownership_text(), "runner_ownership.csv");
  return rows;
}

const RunnerRow* find_runner_row(std::string_view quant, std::string_view backend) {
  const auto& rows = runner_table();
  const auto it = std::find_if(rows.begin(), rows.end(), [&](const RunnerRow& row) {
    return row.quant == quant && row.backend == backend;
  });
  return it == rows.end() ? nullptr : &*it;
}

}  // namespace plumbline::contract
