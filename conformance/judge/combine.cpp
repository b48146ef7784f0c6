#include <algorithm>
#include <array>
#include <limits>

#include "conformance/judge/guard.h"
#include "conformance/judge/judge.h"
#include "conformance/judge/text.h"
#include "reference/formats/codec.h"

namespace plumbline::judge {
namespace {

/// From harmless to grave; a case is as bad as its gravest judgement.
constexpr std::array kByGravity = {
    Verdict::kExcluded,       Verdict::kNotOffered,     Verdict::kRefused,
    Verdict::kPass,           Verdict::kWaived,         Verdict::kSuspicious,
    Verdict::kUntrusted,      Verdict::kUnanswered,     Verdict::kEnvironment,
    Verdict::kUnexpectedPass, Verdict::kFlaky,          Verdict::kWrongPath,
    Verdict::kWrongClass,     Verdict::kWronglyRefused, Verdict::kWronglyAccepted,
    Verdict::kFail,           Verdict::kTimeout,        Verdict::kDeviceLost,
    Verdict::kCrash,
};

std::ptrdiff_t gravity(Verdict verdict) {
  return std::find(kByGravity.begin(), kByGravity.end(), verdict) - kByGravity.begin();
}

bool graver(const Judgement& a, const Judgement& b) {
  if (gravity(a.verdict) != gravity(b.verdict)) return gravity(a.verdict) > gravity(b.verdict);
  return a.margin > b.margin;
}

void merge_worst(std::span<const Judgement> judgements, Judgement& into) {
  into.worst.clear();
  for (const Judgement& j : judgements) {
    into.worst.insert(into.worst.end(), j.worst.begin(), j.worst.end());
  }
  std::stable_sort(
      into.worst.begin(), into.worst.end(),
      [](const WorstElement& a, const WorstElement& b) { return a.margin > b.margin; });
  if (into.worst.size() > kWorstElements) into.worst.resize(kWorstElements);
}

}  // namespace

Judgement verdict(Verdict verdict, std::string_view lane, std::string_view reason) {
  Judgement result;
  result.verdict = verdict;
  result.lane = lane;
  result.reason = reason;
  return result;
}

Judgement worst_of(std::span<const Judgement> judgements) {
  if (judgements.empty()) return verdict(Verdict::kUntrusted, "", "nothing was judged");
  const Judgement* worst = &judgements.front();
  for (const Judgement& j : judgements) {
    if (graver(j, *worst)) worst = &j;
  }
  Judgement result = *worst;
  result.elements = 0;
  result.compared = 0;
  result.sketch.ulp_histogram.fill(0);
  for (const Judgement& j : judgements) {
    result.elements += j.elements;
    result.compared += j.compared;
    result.margin = std::max(result.margin, j.margin);
    for (std::size_t bin = 0; bin < j.sketch.ulp_histogram.size(); ++bin) {
      result.sketch.ulp_histogram[bin] += j.sketch.ulp_histogram[bin];
    }
  }
  merge_worst(judgements, result);
  return result;
}

Judgement same_bits(std::string_view output, const Tensor& expected, const Tensor& got,
                    std::string_view lane) {
  Expected wanted;
  wanted.dtype = expected.spec.dtype;
  wanted.shape = expected.spec.shape;
  wanted.value = formats::decode(expected);
  wanted.radius.assign(wanted.value.size(), 0.0);
  Judgement result = numeric(output, wanted, got);
  result.lane = lane;
  if (result.verdict != Verdict::kPass || expected.data == got.data) return result;
  const auto names = axis_names(output, wanted.shape.size());
  const std::size_t width = static_cast<std::size_t>(bytes_of(wanted.dtype, 1));
  for (std::size_t i = 0; i < wanted.value.size(); ++i) {
    const bool same =
        std::equal(expected.data.begin() + static_cast<std::ptrdiff_t>(i * width),
                   expected.data.begin() + static_cast<std::ptrdiff_t>((i + 1) * width),
                   got.data.begin() + static_cast<std::ptrdiff_t>(i * width));
    if (same || wanted.value[i] != wanted.value[i]) continue;
    result.verdict = Verdict::kFail;
    result.margin = std::numeric_limits<double>::infinity();
    result.reason = std::string(output) +
                    place_text(position_of(static_cast<std::int64_t>(i), wanted.shape)) +
                    " has another code for the same value " + number_text(wanted.value[i]);
    return result;
  }
  return result;
}

}  // namespace plumbline::judge
