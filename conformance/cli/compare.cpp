#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "conformance/cli/commands.h"
#include "conformance/record/journal.h"

namespace plumbline::cli {
namespace {

using Records = std::map<std::string, Record>;

Records records_of(const std::string& directory) {
  Records records;
  for (Record& record :
       record::read_journal(std::filesystem::path(directory) / record::kJournalName)) {
    std::string id = record.case_id;
    records.insert_or_assign(std::move(id), std::move(record));
  }
  return records;
}

/// Cases of one lane that both runs computed.
struct Lane {
  std::int64_t cases = 0;
  std::int64_t same = 0;  ///< with the same bits
};

struct Comparison {
  std::int64_t both = 0;
  std::int64_t only_first = 0;
  std::int64_t only_second = 0;
  std::map<std::string, Lane> lanes;
  std::vector<std::string> moved;  ///< "pass -> fail  ID"
};

Comparison compare(const Records& first, const Records& second) {
  Comparison result;
  for (const auto& [id, a] : first) {
    const auto found = second.find(id);
    if (found == second.end()) {
      ++result.only_first;
      continue;
    }
    const Record& b = found->second;
    ++result.both;
    if (a.verdict != b.verdict) {
      result.moved.push_back(std::string(name_of(a.verdict)) + " -> " +
                             std::string(name_of(b.verdict)) + "  " + id);
    }
    if (a.bits.empty() || b.bits.empty()) continue;
    Lane& lane = result.lanes[a.lane];
    ++lane.cases;
    lane.same += a.bits == b.bits ? 1 : 0;
  }
  result.only_second = static_cast<std::int64_t>(second.size()) - result.both;
  return result;
}

int show(const Comparison& result) {
  constexpr std::size_t kMostShown = 50;
  if (result.both == 0) {
    std::cerr << "plumbline: nothing to compare: no case is in both journals\n";
    return kExitEmptyPlan;
  }
  std::cout << result.both << " cases in both, " << result.only_first << " only in the first, "
            << result.only_second << " only in the second\n";
  for (const auto& [name, lane] : result.lanes) {
    std::cout << "lane " << name << ": " << lane.same << " of " << lane.cases
              << " with the same bits\n";
  }
  std::cout << result.moved.size() << " verdicts differ\n";
  for (std::size_t n = 0; n < result.moved.size() && n < kMostShown; ++n) {
    std::cout << "  " << result.moved[n] << "\n";
  }
  if (result.moved.size() > kMostShown) {
    std::cout << "  and " << result.moved.size() - kMostShown << " more\n";
  }
  return result.moved.empty() ? 0 : 1;
}

}  // namespace

void add_compare(CLI::App& app, int& exit) {
  CLI::App* command =
      app.add_subcommand("compare", "which verdicts and bits differ between two runs");
  const auto first = std::make_shared<std::string>();
  const auto second = std::make_shared<std::string>();
  command->add_option("A", *first, "out directory of a run")->required();
  command->add_option("B", *second, "out directory of another")->required();
  command->callback(
      [first, second, &exit] { exit = show(compare(records_of(*first), records_of(*second))); });
}

}  // namespace plumbline::cli
