#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "conformance/run/confusion.h"
#include "conformance/run/run.h"

namespace plumbline::run {

/// What became of one planted fault.
struct FaultOutcome {
  FaultInfo fault;
  std::int64_t cases = 0;                     ///< cases that were run against it
  std::map<std::string, std::int64_t> kills;  ///< lane → cases that failed by it
  std::string first_case;                     ///< id of the first case that failed

  /// Killed: its expected lane is among those that failed.
  bool killed() const { return kills.contains(std::string(fault.expected_lane)); }
};

/// The self-proof: which check kills which planted fault, and what the correct kernels raise.
struct Proof {
  std::vector<FaultOutcome> faults;
  std::int64_t clean_cases = 0;
  std::vector<Record> false_alarms;
  std::vector<ConfusedPair> packers;  ///< weights of one path given to another

  bool holds() const;
};

struct ProofOptions {
  int wave = 64;
  int jobs = 1;
  std::int64_t clean = 200;     ///< cases with the correct kernels
  std::string only_fault;       ///< one fault by name; empty: all, and the packers
  std::int64_t confused = 100;  ///< layers for each pair of packers
  std::function<void(const FaultOutcome&)> after_each = {};
};

/// Runs the cases of the smoke suite that each fault's pattern matches (a few dozen at most, spread
/// over the suite) against the faulty implementation, then clean ones against the correct one.
/// Throws BadInput for an unknown fault.
Proof prove(const ProofOptions& options);

/// The proof as JSON: {faults, killed, survivors[], false_alarms, clean_cases, lanes{name: kills},
/// by_fault[{id, class, expected, black_box[], staged[]}]}.
std::string to_json(const Proof& proof);

}  // namespace plumbline::run
