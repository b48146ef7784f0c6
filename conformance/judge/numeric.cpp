#include <algorithm>
#include <cmath>
#include <limits>

#include "conformance/judge/guard.h"
#include "conformance/judge/judge.h"
#include "conformance/judge/text.h"
#include "reference/formats/codec.h"

namespace plumbline::judge {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Share of the elements that may be bounded more loosely than their tensor's RMS (verdict table).
constexpr double kLooseShare = 0.05;

/// |got − value| / radius: 0 where the value is met, infinite where nothing else is admissible.
double margin_of(double value, double radius, double got) {
  if (std::isnan(value)) return std::isnan(got) ? 0.0 : kInfinity;
  if (std::isnan(got)) return kInfinity;
  if (got == value) return 0.0;
  if (std::isinf(got) && std::isinf(radius)) return 0.0;
  if (std::isinf(value) || std::isinf(got)) return kInfinity;
  const double distance = std::abs(got - value);
  if (!(radius > 0.0)) return kInfinity;
  return std::isinf(radius) ? 0.0 : distance / radius;
}

double signed_ulps(DType dtype, double value, double got) {
  if (got == value) return 0.0;
  if (!std::isfinite(value) || !std::isfinite(got)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return (got - value) / formats::ulp(dtype, value);
}

int bin_of(double ulps) {
  constexpr std::array<double, 5> kEdges = {0.5, 1.0, 2.0, 4.0, 8.0};
  constexpr int kZeroBin = 6;
  if (std::isnan(ulps)) return kUlpBins - 1;
  const double magnitude = std::abs(ulps);
  if (magnitude == 0.0) return kZeroBin;
  int steps = 1;
  for (const double edge : kEdges) steps += magnitude >= edge ? 1 : 0;
  return ulps > 0.0 ? kZeroBin + steps : kZeroBin - steps;
}

/// Everything that numeric() learns in one pass over the elements.
struct Scan {
  std::vector<double> margins;
  std::vector<std::int64_t> outside;
  std::vector<std::int64_t> worst;  ///< indices, the largest margin first
  std::int64_t compared = 0;
  std::int64_t loose = 0;
  double rms = 0;
  Sketch sketch;
};

double rms_of(const std::vector<double>& values) {
  double largest = 0.0;
  for (const double v : values) {
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  }
  if (largest == 0.0) return 0.0;
  double sum = 0.0;
  std::int64_t count = 0;
  for (const double v : values) {
    if (!std::isfinite(v)) continue;
    sum += (v / largest) * (v / largest);
    ++count;
  }
  return largest * std::sqrt(sum / static_cast<double>(count));
}

std::array<double, kMarginQuantiles> quantiles_of(std::vector<double> margins) {
  constexpr std::array<double, kMarginQuantiles> kAt = {0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1};
  std::array<double, kMarginQuantiles> quantiles{};
  if (margins.empty()) return quantiles;
  std::sort(margins.begin(), margins.end());
  for (std::size_t i = 0; i < kAt.size(); ++i) {
    const double at = kAt[i] * static_cast<double>(margins.size() - 1);
    quantiles[i] = margins[static_cast<std::size_t>(std::llround(at))];
  }
  return quantiles;
}

std::vector<std::int64_t> worst_of_margins(const std::vector<double>& margins) {
  std::vector<std::int64_t> order(margins.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  const auto larger = [&](std::int64_t a, std::int64_t b) {
    const double ma = margins[static_cast<std::size_t>(a)];
    const double mb = margins[static_cast<std::size_t>(b)];
    return ma != mb ? ma > mb : a < b;
  };
  const std::size_t count = std::min(order.size(), kWorstElements);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    larger);
  order.resize(count);
  return order;
}

void take_group_maxima(const Groups& groups, const Expected& expected, Scan& scan) {
  if (groups.name.empty() || groups.axis >= expected.shape.size()) return;
  std::vector<double>& maxima = scan.sketch.group_maxima;
  for (std::size_t i = 0; i < scan.margins.size(); ++i) {
    const std::int64_t at = position_of(static_cast<std::int64_t>(i), expected.shape)[groups.axis];
    const std::vector<std::int64_t> self = {at};
    const bool listed = static_cast<std::size_t>(at) < groups.members.size();
    for (const std::int64_t g : listed ? groups.members[static_cast<std::size_t>(at)] : self) {
      if (g < 0 || g >= kMostGroups) continue;
      const auto index = static_cast<std::size_t>(g);
      if (index >= maxima.size()) maxima.resize(index + 1, 0.0);
      maxima[index] = std::max(maxima[index], scan.margins[i]);
    }
  }
  if (!maxima.empty()) scan.sketch.group = groups.name;
}

Scan scan_elements(const Expected& expected, const std::vector<double>& got) {
  Scan scan;
  scan.rms = rms_of(expected.value);
  scan.margins.resize(got.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double margin = margin_of(expected.value[i], expected.radius[i], got[i]);
    scan.margins[i] = margin;
    if (!(margin <= 1.0)) scan.outside.push_back(static_cast<std::int64_t>(i));
    if (!std::isinf(expected.radius[i])) ++scan.compared;
    if (!(expected.radius[i] <= scan.rms) && std::isfinite(expected.value[i])) ++scan.loose;
    const double ulps = signed_ulps(expected.dtype, expected.value[i], got[i]);
    const bool same_nan = std::isnan(expected.value[i]) && std::isnan(got[i]);
    ++scan.sketch.ulp_histogram[static_cast<std::size_t>(bin_of(same_nan ? 0.0 : ulps))];
  }
  scan.worst = worst_of_margins(scan.margins);
  scan.sketch.margin_quantiles = quantiles_of(scan.margins);
  return scan;
}

/// Whether at most one code of the type lies within the radius: two such codes a < b would give
/// round(value − radius) ≤ a < b ≤ round(value + radius).
bool only_one_admissible(DType dtype, double value, double radius) {
  if (radius == 0.0 || !std::isfinite(value)) return true;
  if (!std::isfinite(radius)) return false;
  return formats::round_to(dtype, value - radius) == formats::round_to(dtype, value + radius);
}

std::string lane_of(const Expected& expected) {
  for (std::size_t i = 0; i < expected.value.size(); ++i) {
    if (!only_one_admissible(expected.dtype, expected.value[i], expected.radius[i])) return "W";
  }
  return "bitwise";
}

WorstElement element_of(std::string_view output, const Expected& expected, double got,
                        std::int64_t index) {
  const auto i = static_cast<std::size_t>(index);
  WorstElement element;
  element.output = output;
  element.position = position_of(index, expected.shape);
  element.expected = expected.value[i];
  element.got = got;
  element.radius = expected.radius[i];
  element.ulp = signed_ulps(expected.dtype, expected.value[i], got);
  element.margin = margin_of(expected.value[i], expected.radius[i], got);
  return element;
}

std::string element_text(const WorstElement& element, DType dtype) {
  std::string text = element.output + place_text(element.position) + " is " +
                     number_text(element.got) + ", expected " + number_text(element.expected);
  if (element.radius > 0.0) text += " ± " + number_text(element.radius);
  std::string detail;
  if (std::isfinite(element.ulp)) {
    detail = (element.ulp > 0.0 ? "+" : "") + number_text(element.ulp) + " ulp of " +
             std::string(name_of(dtype));
  }
  if (std::isfinite(element.margin)) {
    detail += (detail.empty() ? "" : ", ") + number_text(element.margin) + " of the radius";
  }
  return detail.empty() ? text : text + " (" + detail + ")";
}

std::string fail_reason(std::string_view output, const Expected& expected, const Tensor& got,
                        const Scan& scan, const WorstElement& worst) {
  const auto names = axis_names(output, expected.shape.size());
  std::string reason = element_text(worst, expected.dtype) + "; " +
                       std::to_string(scan.outside.size()) + " of " +
                       std::to_string(scan.margins.size()) + " elements of " + std::string(output) +
                       " are outside" + pattern_of(scan.outside, expected.shape, names);
  const std::int64_t canaries = unwritten(got);
  if (canaries > 0) reason += "; " + std::to_string(canaries) + " were never written";
  return reason;
}

Judgement mismatch(std::string_view output, const Expected& expected, const Tensor& got) {
  TensorSpec wanted;
  wanted.dtype = expected.dtype;
  wanted.shape = expected.shape;
  Judgement result =
      verdict(Verdict::kFail, "W",
              std::string(output) + " is " + got.spec.text() + ", expected " + wanted.text());
  result.elements = wanted.elements();
  result.margin = kInfinity;
  return result;
}

void decide(std::string_view output, const Expected& expected, const Tensor& got, const Scan& scan,
            Judgement& result) {
  const std::string count = std::to_string(result.elements) + " elements of " + std::string(output);
  if (!scan.outside.empty()) {
    result.verdict = Verdict::kFail;
    result.reason = fail_reason(output, expected, got, scan, result.worst.front());
  } else if (result.elements == 0) {
    result.verdict = Verdict::kPass;
    result.reason = std::string(output) + " is empty by the problem";
  } else if (scan.compared == 0) {
    result.verdict = Verdict::kUntrusted;
    result.reason = "no bound is finite: none of the " + count + " could have failed";
  } else if (static_cast<double>(scan.loose) >
             kLooseShare * static_cast<double>(scan.margins.size())) {
    result.verdict = Verdict::kUntrusted;
    result.reason = "the radius exceeds the RMS of the expected tensor (" +
                    number_text(result.rms_expected) + ") on " + std::to_string(scan.loose) +
                    " of the " + count;
  } else {
    result.verdict = Verdict::kPass;
    result.reason = result.lane == "bitwise"
                        ? "all " + count + " have the only admissible value"
                        : "all " + count + " lie within their radius; " + "closest to its limit: " +
                              element_text(result.worst.front(), expected.dtype);
  }
}

void check_expected(std::string_view output, const Expected& expected) {
  TensorSpec spec;
  spec.dtype = expected.dtype;
  spec.shape = expected.shape;
  const auto elements = static_cast<std::size_t>(spec.elements());
  if (expected.value.size() != elements || expected.radius.size() != elements) {
    throw ContractViolation("expected " + std::string(output) + " " + spec.text() + " has " +
                            std::to_string(expected.value.size()) + " values and " +
                            std::to_string(expected.radius.size()) + " radii");
  }
}

/// What numeric() was asked.
struct Question {
  std::string_view output;
  const Expected& expected;
  const Tensor& got;
  Groups groups;
};

Judgement judge_values(const Question& question, const std::vector<double>& values,
                       std::string_view lane) {
  const Expected& expected = question.expected;
  Scan scan = scan_elements(expected, values);
  take_group_maxima(question.groups, expected, scan);
  Judgement result;
  result.lane = lane;
  result.elements = static_cast<std::int64_t>(values.size());
  result.compared = scan.compared;
  result.rms_expected = scan.rms;
  for (const std::int64_t index : scan.worst) {
    result.worst.push_back(
        element_of(question.output, expected, values[static_cast<std::size_t>(index)], index));
  }
  result.margin = result.worst.empty() ? 0.0 : result.worst.front().margin;
  result.sketch = scan.sketch;
  decide(question.output, expected, question.got, scan, result);
  return result;
}

/// The least λ under which every element would lie within fixed + λ·sigma: near 8 the model or the
/// profile is to be doubted, though all passes. Elements without a random part do not count.
double implied_lambda(const Calibrated& s, const std::vector<double>& values) {
  double lambda = 0;
  for (std::size_t n = 0; n < values.size(); ++n) {
    const double beyond = std::abs(values[n] - s.value[n]) - s.fixed[n];
    if (s.sigma[n] > 0 && beyond > 0) lambda = std::max(lambda, beyond / s.sigma[n]);
  }
  return lambda;
}

/// Lane S, for what passed W. Outside it the result is suspicious, not wrong: the calibrated radius
/// rests on a model of rounding errors and on the profile, which no probe has confirmed.
Judgement calibrated(const Question& question, const std::vector<double>& values) {
  const Calibrated& s = *question.expected.calibrated;
  const Expected tight{question.expected.dtype, question.expected.shape, s.value, s.radius};
  Judgement result =
      judge_values({question.output, tight, question.got, question.groups}, values, "S");
  if (result.verdict == Verdict::kFail) {
    result.verdict = Verdict::kSuspicious;
    result.reason += " of the calibrated radius; all lie within the rigorous one";
  }
  result.reason += "; implied lambda " + number_text(implied_lambda(s, values)) + " of " +
                   number_text(Calibrated::kLambda);
  return result;
}

Groups default_groups(std::string_view output, std::size_t rank) {
  Groups groups;
  if (output == "lse") return {"head", 0, {}};
  if (rank == 3) return {"head", 1, {}};
  return groups;
}

}  // namespace

Judgement numeric(std::string_view output, const Expected& expected, const Tensor& got,
                  const Groups& groups) {
  check_expected(output, expected);
  if (got.spec.dtype != expected.dtype || got.spec.shape != expected.shape ||
      got.spec.layout != Layout::kLinear) {
    return mismatch(output, expected, got);
  }
  const std::vector<double> values = formats::decode(got);
  Judgement rigorous = judge_values({output, expected, got, groups}, values, lane_of(expected));
  const bool decided = rigorous.verdict == Verdict::kFail || rigorous.lane == "bitwise";
  if (decided || rigorous.elements == 0 || !expected.calibrated) return rigorous;
  return calibrated({output, expected, got, groups}, values);
}

Judgement numeric(std::string_view output, const Expected& expected, const Tensor& got) {
  return numeric(output, expected, got, default_groups(output, expected.shape.size()));
}

std::optional<Judgement> calibrated_alone(std::string_view output, const Expected& expected,
                                          const Tensor& got) {
  check_expected(output, expected);
  if (!expected.calibrated || got.spec.dtype != expected.dtype ||
      got.spec.shape != expected.shape || got.spec.layout != Layout::kLinear) {
    return std::nullopt;
  }
  Judgement judged = calibrated({output, expected, got, {}}, formats::decode(got));
  // The elements are counted where the rigorous lane judged them.
  judged.elements = 0;
  judged.compared = 0;
  judged.sketch = {};
  return judged;
}

}  // namespace plumbline::judge
