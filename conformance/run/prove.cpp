#include "conformance/run/prove.h"

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>

#include "conformance/cases/filter.h"
#include "conformance/run/parallel.h"
#include "conformance/suites/suite.h"

namespace plumbline::run {
namespace {

/// Cases that every fault is run against, and how many more until its expected lane has killed it.
constexpr std::size_t kFirstCases = 24;
constexpr std::size_t kMostCases = 240;

/// Whether a check noticed something: on the embedded kernels, whose profile is known to be true, a
/// suspicion counts like a failure, as a kill and as a false alarm.
bool fails(Verdict verdict) {
  return info_of(verdict).exit == 1 || verdict == Verdict::kSuspicious;
}

/// Every how-manyth: the matching cases in an order that is spread over the suite.
std::vector<Case> spread(std::vector<Case> cases) {
  std::vector<Case> result;
  const std::size_t step = std::max<std::size_t>(1, cases.size() / kFirstCases);
  for (std::size_t first = 0; first < step; ++first) {
    for (std::size_t n = first; n < cases.size(); n += step) result.push_back(std::move(cases[n]));
  }
  if (result.size() > kMostCases) result.resize(kMostCases);
  return result;
}

std::vector<Case> cases_for(const FaultInfo& fault, const std::vector<Case>& suite) {
  const auto filter = cases::Filter::parse(fault.pattern);
  std::vector<Case> matching;
  std::copy_if(suite.begin(), suite.end(), std::back_inserter(matching),
               [&](const Case& test_case) { return filter.matches(test_case); });
  return spread(std::move(matching));
}

/// Adds the lanes in which one case failed.
void count(FaultOutcome& into, const Outcome& outcome) {
  ++into.cases;
  std::vector<std::string> lanes;
  for (const judge::Judgement& judged : outcome.judgements) {
    if (fails(judged.verdict)) lanes.push_back(judged.lane);
  }
  std::sort(lanes.begin(), lanes.end());
  lanes.erase(std::unique(lanes.begin(), lanes.end()), lanes.end());
  for (const std::string& lane : lanes) ++into.kills[lane];
  if (!lanes.empty() && into.first_case.empty()) into.first_case = outcome.record.case_id;
}

FaultOutcome challenge(const FaultInfo& fault, const std::vector<Case>& suite,
                       const ProofOptions& options) {
  FaultOutcome result;
  result.fault = fault;
  const int wave = fault.wave == 0 ? options.wave : fault.wave;
  const auto faulty = make_embedded({wave, std::string(fault.name)});
  const std::vector<Case> cases = cases_for(fault, suite);
  std::mutex counting;
  parallel(cases.size(), options.jobs, [&](std::size_t n) {
    {
      const std::lock_guard<std::mutex> lock(counting);
      if (n >= kFirstCases && result.killed()) return;
    }
    const Outcome outcome = examine(cases[n], *faulty);
    const std::lock_guard<std::mutex> lock(counting);
    count(result, outcome);
  });
  return result;
}

/// The n-th clean case of `wanted`: spread over the suite, and once it is used up from its start
/// again with other seeds.
Case clean_case(const std::vector<Case>& suite, std::size_t n, std::size_t wanted) {
  constexpr std::uint64_t kSeedsApart = 1000;
  const std::size_t step = std::max<std::size_t>(1, suite.size() / wanted);
  Case chosen = suite[n * step % suite.size()];
  chosen.seed += kSeedsApart * (n * step / suite.size());
  return chosen;
}

void run_clean(Proof& proof, const std::vector<Case>& suite, const ProofOptions& options) {
  if (options.clean <= 0 || suite.empty()) return;
  const auto correct = make_embedded({options.wave, ""});
  const auto wanted = static_cast<std::size_t>(options.clean);
  std::mutex counting;
  parallel(wanted, options.jobs, [&](std::size_t n) {
    Record record = run_case(clean_case(suite, n, wanted), *correct);
    const std::lock_guard<std::mutex> lock(counting);
    ++proof.clean_cases;
    if (fails(record.verdict)) proof.false_alarms.push_back(std::move(record));
  });
}

std::vector<FaultInfo> chosen_faults(const std::string& only) {
  std::vector<FaultInfo> faults = all_faults();
  if (only.empty()) return faults;
  std::erase_if(faults, [&](const FaultInfo& fault) { return fault.name != only; });
  if (faults.empty()) {
    throw BadInput("--fault", "\"" + only + "\"", "no fault of that name: plumbline list faults");
  }
  return faults;
}

nlohmann::ordered_json lanes_of(const FaultOutcome& outcome) {
  auto lanes = nlohmann::ordered_json::array();
  for (const auto& [lane, kills] : outcome.kills) lanes.push_back(lane);
  return lanes;
}

nlohmann::ordered_json packers_json(const Proof& proof) {
  auto rows = nlohmann::ordered_json::array();
  for (const ConfusedPair& pair : proof.packers) {
    rows.push_back({{"from", pair.from},
                    {"to", pair.to},
                    {"declared_equal", pair.declared_equal},
                    {"cases", pair.cases},
                    {"noticed", pair.noticed}});
  }
  return rows;
}

}  // namespace

bool Proof::holds() const {
  return false_alarms.empty() &&
         std::all_of(faults.begin(), faults.end(), [](const auto& f) { return f.killed(); }) &&
         std::all_of(packers.begin(), packers.end(), [](const auto& p) { return p.holds(); });
}

Proof prove(const ProofOptions& options) {
  const std::vector<Case> suite = suites::load("smoke");
  Proof proof;
  for (const FaultInfo& fault : chosen_faults(options.only_fault)) {
    proof.faults.push_back(challenge(fault, suite, options));
    if (options.after_each) options.after_each(proof.faults.back());
  }
  run_clean(proof, suite, options);
  if (options.only_fault.empty()) {
    const auto correct = make_embedded({options.wave, ""});
    proof.packers = confuse_packers(*correct, options.confused, options.jobs);
  }
  return proof;
}

std::string to_json(const Proof& proof) {
  nlohmann::ordered_json json;
  auto survivors = nlohmann::ordered_json::array();
  auto by_fault = nlohmann::ordered_json::array();
  std::map<std::string, std::int64_t> lanes;
  for (const FaultOutcome& outcome : proof.faults) {
    if (!outcome.killed()) survivors.push_back(outcome.fault.name);
    for (const auto& [lane, kills] : outcome.kills) lanes[lane] += kills;
    by_fault.push_back({{"id", outcome.fault.name},
                        {"class", outcome.fault.fault_class},
                        {"expected", outcome.fault.expected_lane},
                        {"black_box", lanes_of(outcome)},
                        {"staged", nlohmann::ordered_json::array()}});
  }
  json["faults"] = proof.faults.size();
  json["killed"] = proof.faults.size() - survivors.size();
  json["survivors"] = survivors;
  json["false_alarms"] = proof.false_alarms.size();
  json["clean_cases"] = proof.clean_cases;
  json["lanes"] = lanes;
  json["by_fault"] = by_fault;
  json["packers"] = packers_json(proof);
  return json.dump(2);
}

}  // namespace plumbline::run
