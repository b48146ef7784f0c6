#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "reference/spec/problem.h"
#include "reference/spec/verdict.h"

namespace plumbline {

/// One element that came closest to its radius or left it.
struct WorstElement {
  std::string output;                  ///< "out", "lse", "topk_weights"
  std::vector<std::int64_t> position;  ///< index in the output's shape: [token, element]
  double expected = 0;
  double got = 0;
  double radius = 0;
  double ulp = 0;     ///< signed (got − expected) in ulp of the output type at the expected value
  double margin = 0;  ///< |got − expected| / radius; 1 is the limit
};

/// Signed error in ulp of the output type, in fixed bins: ≤ −8, (−8, −4], (−4, −2], (−2, −1],
/// (−1, −½], (−½, 0), 0, (0, ½), [½, 1), [1, 2), [2, 4), [4, 8), ≥ 8, NaN.
inline constexpr int kUlpBins = 14;
/// Quantiles of the margin over the elements: 0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.
inline constexpr int kMarginQuantiles = 8;

/// A case's errors in a fixed number of figures, so that journals stay small.
struct Sketch {
  std::array<std::int64_t, kUlpBins> ulp_histogram{};
  std::array<double, kMarginQuantiles> margin_quantiles{};
  std::string group;                 ///< what the maxima are over: "expert", "head", or ""
  std::vector<double> group_maxima;  ///< largest margin a group
};

/// One line of the journal: everything a page may show. `Case` is kept as its id.
struct Record {
  std::string case_id;
  Verdict verdict = Verdict::kUnanswered;
  std::string lane;    ///< "bitwise", "W", "S", "guard", "contract", "relation:NAME", …
  std::string reason;  ///< one sentence an engineer can act on
  double margin = 0;   ///< worst over all elements
  double seconds = 0;  ///< of the whole case, reference included
  std::string implementation;
  std::string path;     ///< the path that really ran
  std::string profile;  ///< the name of the promise it was judged under
  std::string target;   ///< host, amd, nvidia
  int wave = 0;
  std::string device;
  std::string options;        ///< what a replay needs behind the id: " --implementation ./mine.so"
  std::int64_t elements = 0;  ///< outputs elements there are
  std::int64_t compared = 0;  ///< elements that took part in the verdict
  double rms_expected = 0;    ///< RMS of the expected tensor
  std::string bits;  ///< hash of the outputs' bytes, 16 hexadecimal digits; empty: no outputs
  std::vector<WorstElement> worst;  ///< at most 8, the worst first
  Sketch sketch;
};

/// What a run was: kept in plan.json beside the journal, and the head of every report.
struct RunHeader {
  std::string suite;
  std::string implementation;
  std::string version;
  std::string target;
  std::string device;
  int wave = 64;
  std::uint64_t seed = 0;
  std::string filter;  ///< empty: none; otherwise the first sentence says so
  std::int64_t planned = 0;
  std::string compiler;
  std::string system;   ///< processor and operating system
  std::string command;  ///< what to type to repeat it
  double seconds = 0;   ///< wall time of the whole run; 0: not known, as when it was killed
};

}  // namespace plumbline
