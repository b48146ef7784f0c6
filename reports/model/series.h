#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "reports/model/run.h"

namespace plumbline::reports {

/// Cases of one path and type, whose errors may be added up: "moe.experts triton bf16".
struct Series {
  std::string name;
  std::int64_t cases = 0;
  std::int64_t elements = 0;  ///< compared elements
  std::array<std::int64_t, kUlpBins> ulp_histogram{};
  std::vector<double>
      margins;  ///< worst margin of each case judged by numbers, ascending, NaN last
};

/// The series a case belongs to: operation, runner backend where there is one, quant or io type.
std::string series_of(const Record& record);

/// All series by name; cases not judged by numbers are left out.
std::vector<Series> all_series(const Run& run);

/// Terms in the longest sum behind an output: experts max(h, i), attention max(d, sk), routing e;
/// 0 where the id does not say.
std::int64_t contraction_length(const Record& record);

/// The value below which a share `q` of the ascending `sorted` lies; NaN where it is empty.
double quantile(const std::vector<double>& sorted, double q);

}  // namespace plumbline::reports
