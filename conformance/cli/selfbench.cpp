#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "conformance/cli/commands.h"
#include "conformance/cli/plain_loop.h"
#include "conformance/run/run.h"
#include "conformance/suites/suite.h"
#include "device/abi/call_bench.h"
#include "device/abi/implementation.h"

namespace plumbline::cli {
namespace {

/// One figure of the suite's own speed beside what it is measured against in the same run.
struct Metric {
  std::string name;
  double value;
  std::string unit;
  std::string baseline;   ///< what the baseline is
  double baseline_value;  ///< in the same unit
  double ratio() const { return value / baseline_value; }
};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// The best of `repeats` timings: what the machine can do when nothing else runs.
double best_seconds(int repeats, const std::function<double()>& timing) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repeats; ++i) best = std::min(best, timing());
  return best;
}

Metric gemm_metric() {
  constexpr int kSize = 512;
  constexpr double kGflop = 2.0 * kSize * kSize * kSize * 1e-9;
  const double kernel = best_seconds(7, [] { return embedded_bench("gemm512_seconds"); });
  const double plain = best_seconds(7, [] { return seconds_of_plain_loop(kSize); });
  return {"host_gemm_kernel", kGflop / kernel, "GFLOP/s", "plain -O3 i,k,j loop", kGflop / plain};
}

Metric barrier_metric() {
  const double nanoseconds = embedded_bench("barrier_nanoseconds");
  return {"host_barrier", nanoseconds, "ns/thread", "limit", 8.0};
}

Metric library_metric() {
  const double through = refuses_microseconds(*make_embedded({}));
  const double inside = embedded_bench("refuses_microseconds");
  return {"library_call", through - inside, "us a call beyond the call itself", "limit", 2.0};
}

Metric listing_metric() {
  const std::string pattern =
      "moe.experts/quant={bf16,fp8_block128}/t=1..30,h={64,128,256},e+k={8+2,4+4}/data=*/"
      "seed=0..46";
  std::size_t cases = 0;
  const double seconds = best_seconds(3, [&] {
    const auto begin = Clock::now();
    std::size_t bytes = 0;
    const std::vector<Case> list = suites::expand(pattern, "selfbench");
    for (const Case& test_case : list) bytes += test_case.id().size();
    cases = bytes > 0 ? list.size() : 0;
    return seconds_since(begin);
  });
  return {"list_100000_cases", seconds * 1e5 / static_cast<double>(cases), "s", "limit", 2.0};
}

Metric case_metric() {
  const auto embedded = make_embedded({});
  const std::vector<Case> all = suites::load("smoke");
  std::vector<Case> some;
  for (std::size_t i = 0; i < all.size(); i += 8) some.push_back(all[i]);
  const double seconds = best_seconds(2, [&] {
    const auto begin = Clock::now();
    for (const Case& test_case : some) run::run_case(test_case, *embedded);
    return seconds_since(begin);
  });
  return {"smoke_cases", static_cast<double>(some.size()) / seconds, "cases/s on one core",
          "1,000 cases in 60 s on two cores", 1000.0 / 60.0 / 2.0};
}

int selfbench(bool json) {
  const std::vector<std::function<Metric()>> benches = {gemm_metric, barrier_metric, library_metric,
                                                        listing_metric, case_metric};
  nlohmann::json rows = nlohmann::json::array();
  if (!json) std::printf("%-20s %12s  %-20s %8s  %s\n", "", "value", "", "ratio", "against");
  for (const auto& bench : benches) {
    const Metric m = bench();
    rows.push_back({{"name", m.name},
                    {"value", m.value},
                    {"unit", m.unit},
                    {"baseline", m.baseline},
                    {"baseline_value", m.baseline_value},
                    {"ratio", m.ratio()}});
    if (json) continue;
    std::printf("%-20s %12.3f  %-20s %8.3f  %s (%.3f)\n", m.name.c_str(), m.value, m.unit.c_str(),
                m.ratio(), m.baseline.c_str(), m.baseline_value);
    std::fflush(stdout);
  }
  if (json) std::cout << nlohmann::json{{"metrics", rows}}.dump(1) << '\n';
  return 0;
}

}  // namespace

void add_selfbench(CLI::App& app, int& exit) {
  CLI::App* command = app.add_subcommand("selfbench", "how fast the suite itself is, as ratios");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "print the metrics as JSON");
  command->callback([json, &exit] { exit = selfbench(*json); });
}

}  // namespace plumbline::cli
