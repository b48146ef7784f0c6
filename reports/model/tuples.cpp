#include "reports/model/tuples.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "reference/spec/status.h"

namespace plumbline::reports {
namespace {

struct Row {
  std::string op;
  std::vector<std::pair<std::string, std::string>> values;
  bool answered;
};

std::optional<Row> row_of(const Record& record) {
  try {
    const Case c = parse_case(record.case_id);
    Row row{c.problem.op, c.problem.axes, true};
    row.values.emplace_back("data", c.data);
    const Verdict verdict = record.verdict;
    row.answered = verdict != Verdict::kUnanswered && verdict != Verdict::kEnvironment &&
                   verdict != Verdict::kNotOffered && verdict != Verdict::kExcluded;
    return row;
  } catch (const BadInput&) {
    return std::nullopt;
  }
}

/// Values of each axis of one operation, as the plan shows them.
using Axes = std::map<std::string, std::set<std::string>>;

/// Sum over all choices of `width` axes of the product of their numbers of values: the elementary
/// symmetric polynomial of those numbers.
std::int64_t possible_tuples(const Axes& axes, int width) {
  std::vector<std::int64_t> sums(static_cast<std::size_t>(width) + 1, 0);
  sums[0] = 1;
  for (const auto& [name, values] : axes) {
    for (std::size_t n = sums.size() - 1; n > 0; --n) {
      sums[n] += sums[n - 1] * static_cast<std::int64_t>(values.size());
    }
  }
  return sums.back();
}

void collect(const Row& row, std::size_t from, int width, const std::string& prefix,
             std::unordered_set<std::string>& seen) {
  if (width == 0) {
    seen.insert(prefix);
    return;
  }
  for (std::size_t i = from; i < row.values.size(); ++i) {
    const auto& [name, value] = row.values[i];
    collect(row, i + 1, width - 1, prefix + ',' + name + '=' + value, seen);
  }
}

}  // namespace

TupleCoverage tuple_coverage(const Run& run, int width) {
  std::map<std::string, Axes> axes;
  std::unordered_set<std::string> seen;
  std::unordered_set<std::string> rows_done;
  for (const Record& record : run.records) {
    auto row = row_of(record);
    if (!row) continue;
    std::string key = row->op;
    for (const auto& [name, value] : row->values) {
      axes[row->op][name].insert(value);
      key += ',' + name + '=' + value;
    }
    if (row->answered && rows_done.insert(key).second) collect(*row, 0, width, row->op, seen);
  }
  TupleCoverage coverage;
  coverage.covered = static_cast<std::int64_t>(seen.size());
  for (const auto& [op, of_op] : axes) coverage.possible += possible_tuples(of_op, width);
  return coverage;
}

}  // namespace plumbline::reports
