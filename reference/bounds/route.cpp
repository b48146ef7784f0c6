#include "reference/bounds/route.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "reference/moe/route.h"
#include "reference/spec/status.h"

/// Scores are computed in fp32 from logits that are known exactly. With u = 2^−24:
///   softmax  s = e^{x − m}/Σ: relative error e^{e_j} − 1 above and below, e_j = 5u(|x| + |m|) +
///            2^−21 (argument and exponential, as in attention.cpp); the sum errs by at most the
///            largest of its terms and γ(e); the division by u.
///   sigmoid  1/(1 + e^{−x}): the exponential's error enters with weight 1 − s; three roundings.
///   √softplus: the error of log(1 + e^x) relative to itself is at most that of e^x (σ/softplus ≤
///   1),
///            four roundings; the root halves it.
/// Where e^x leaves the range of fp32 it may be flushed to 0: 2^−126 absolute (2^−63 under the
/// root).
namespace plumbline::bounds {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kFlush = 0x1p-126;

double exponent_error(double x, double m) {
  return 5 * kUnit32 * (std::abs(x) + std::abs(m)) + 0x1p-21;
}

using Row = Eigen::Array<double, 1, Eigen::Dynamic>;

/// Radius of a softmax with the values `p` of logits `x`.
Row softmax_radius(const Row& x, const Row& p) {
  const double m = x.maxCoeff();
  Row error = 5 * kUnit32 * (x.abs() + std::abs(m)) + 0x1p-21;
  error = x.isFinite().select(error, 0.0);  // e^−∞ = 0 is exact
  const double shared = error.maxCoeff() + gamma32(x.size(), 0, false) + 3 * kUnit32;
  return p * ((error + shared).exp() - 1) + kFlush;
}

double sigmoid_radius(double x, double s) {
  return s * ((1 - s) * std::expm1(exponent_error(x, 0)) + 4 * kUnit32) + kFlush;
}

double sqrt_softplus_radius(double x, double s) {
  return s * (0.5 * std::expm1(exponent_error(x, 0)) + 4 * kUnit32) + 0x1p-63;
}

Row score_radius(Scoring scoring, const Row& x, const Row& s) {
  if (scoring == Scoring::kNone) return Row::Zero(x.size());
  if (scoring == Scoring::kSoftmax) return softmax_radius(x, s);
  Row radius(x.size());
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    radius[j] = scoring == Scoring::kSigmoid ? sigmoid_radius(x[j], s[j])
                                             : sqrt_softplus_radius(x[j], s[j]);
  }
  return radius;
}

bool is_undefined(const Row& x) {
  return std::any_of(x.begin(), x.end(),
                     [](double v) { return std::isnan(v) || v == kInfinity; }) ||
         x.maxCoeff() == -kInfinity;
}

/// Low and high ends of the scores of one token, masked experts included.
struct Ends {
  Row low;
  Row high;
};

/// Score of a group from the ends of its members: both scores are monotone in every member.
double group_score(const RouteProblem& problem, const Row& members) {
  std::vector<double> sorted(members.begin(), members.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  if (problem.group_score == GroupScore::kMax || sorted.size() < 2) return sorted.front();
  return sorted[0] + sorted[1];
}

Ends group_ends(const RouteProblem& problem, const Ends& scores) {
  const Eigen::Index size = problem.e / problem.groups;
  Ends ends{Row(problem.groups), Row(problem.groups)};
  for (Eigen::Index g = 0; g < problem.groups; ++g) {
    const double low = group_score(problem, scores.low.segment(g * size, size));
    const double high = group_score(problem, scores.high.segment(g * size, size));
    ends.low[g] = std::isfinite(low) ? low - kUnit32 * std::abs(low) : low;
    ends.high[g] = std::isfinite(high) ? high + kUnit32 * std::abs(high) : high;
  }
  return ends;
}

std::string text_of(std::span<const std::int32_t> ids) {
  std::string text;
  for (const std::int32_t id : ids) text += (text.empty() ? "" : ", ") + std::to_string(id);
  return "{" + text + "}";
}

/// Why `ids` is no top-k of these ends: an expert left out that lies certainly above a chosen one.
std::optional<std::string> beaten(const Ends& ends, std::span<const std::int32_t> ids) {
  double weakest = kInfinity;
  std::int32_t chosen = -1;
  for (const std::int32_t id : ids) {
    if (chosen >= 0 && !(ends.high[id] < weakest)) continue;
    weakest = ends.high[id];
    chosen = id;
  }
  for (Eigen::Index j = 0; j < ends.low.size(); ++j) {
    const bool taken = std::find(ids.begin(), ids.end(), static_cast<std::int32_t>(j)) != ids.end();
    if (taken || !(ends.low[j] > weakest)) continue;
    return "expert " + std::to_string(j) + " scores certainly above expert " +
           std::to_string(chosen) + " of " + text_of(ids);
  }
  return std::nullopt;
}

/// The groups that stay, as a set that `ends` allow.
using Kept = std::vector<bool>;

Ends masked(const RouteProblem& problem, Ends ends, const Kept& kept) {
  const Eigen::Index size = problem.e / problem.groups;
  const double value = problem.masked_is_zero ? 0.0 : -kInfinity;
  for (Eigen::Index g = 0; g < problem.groups; ++g) {
    if (kept[static_cast<std::size_t>(g)]) continue;
    ends.low.segment(g * size, size).setConstant(value);
    ends.high.segment(g * size, size).setConstant(value);
  }
  return ends;
}

/// Group sets are few unless many groups tie; beyond this many the remaining ones are taken to
/// admit the ids, which errs on the side of no false alarm.
constexpr int kMostSets = 20000;

/// Walks the possible sets of kept groups until `accepts` is content with one.
class GroupSets {
 public:
  GroupSets(const Ends& ends, std::int64_t kept) : ends_(ends), kept_(kept) {
    order_.resize(static_cast<std::size_t>(ends.low.size()));
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(), [&](auto a, auto b) {
      return ends_.low[a] + ends_.high[a] > ends_.low[b] + ends_.high[b];
    });
  }

  template <class Accepts>
  bool any(const Accepts& accepts) {
    Kept kept(order_.size(), false);
    return walk(0, kept_, kept, accepts);
  }

 private:
  /// No group left out lies certainly above a kept one.
  bool possible(const Kept& kept) const {
    double weakest = kInfinity;
    double strongest = -kInfinity;
    for (std::size_t g = 0; g < kept.size(); ++g) {
      const auto at = static_cast<Eigen::Index>(g);
      if (kept[g]) weakest = std::min(weakest, ends_.high[at]);
      if (!kept[g]) strongest = std::max(strongest, ends_.low[at]);
    }
    return !(strongest > weakest);
  }

  /// Groups that lie certainly above `group`.
  std::int64_t above(Eigen::Index group) const { return (ends_.low > ends_.high[group]).count(); }

  template <class Accepts>
  bool walk(std::size_t at, std::int64_t left, Kept& kept, const Accepts& accepts) {
    if (left == 0) return ++sets_ > kMostSets || (possible(kept) && accepts(kept));
    if (order_.size() - at < static_cast<std::size_t>(left)) return false;
    const Eigen::Index group = order_[at];
    if (above(group) < kept_) {
      kept[static_cast<std::size_t>(group)] = true;
      if (walk(at + 1, left - 1, kept, accepts)) return true;
      kept[static_cast<std::size_t>(group)] = false;
    }
    // A group that cannot be among those beaten by enough others always stays.
    if ((ends_.high >= ends_.low[group]).count() - 1 < kept_) return false;
    return walk(at + 1, left, kept, accepts);
  }

  const Ends& ends_;
  std::int64_t kept_;
  std::vector<Eigen::Index> order_;
  int sets_ = 0;
};

std::optional<std::string> badly_formed(const RouteProblem& problem,
                                        std::span<const std::int32_t> ids, bool repeats_allowed) {
  if (std::ssize(ids) != problem.k) return "not k ids";
  for (std::size_t n = 0; n < ids.size(); ++n) {
    if (ids[n] < 0 || ids[n] >= problem.e) {
      return "id " + std::to_string(ids[n]) + " is not in [0, " + std::to_string(problem.e) + ")";
    }
    if (!repeats_allowed && std::find(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(n),
                                      ids[n]) != ids.begin() + static_cast<std::ptrdiff_t>(n)) {
      return "id " + std::to_string(ids[n]) + " stands twice";
    }
  }
  return std::nullopt;
}

/// Weights of one token and their radii, before the routed scaling factor.
struct WeightRow {
  Row value;
  Row radius;
};

WeightRow gathered(const RouteExpected& expected, std::int64_t token,
                   std::span<const std::int32_t> ids) {
  WeightRow row{Row::Zero(std::ssize(ids)), Row::Zero(std::ssize(ids))};
  Row logits = Row::Constant(std::ssize(ids), -kInfinity);
  for (std::size_t n = 0; n < ids.size(); ++n) {
    const auto at = static_cast<Eigen::Index>(n);
    if (ids[n] < 0 || ids[n] >= expected.problem.e) continue;
    row.value[at] = expected.scores.mid(token, ids[n]);
    row.radius[at] = expected.scores.radius(token, ids[n]);
    logits[at] = row.value[at];
  }
  if (expected.problem.softmax_after_topk && logits.maxCoeff() > -kInfinity) {
    const Row radius = row.radius;
    row.value = (logits - logits.maxCoeff()).exp();
    row.value /= row.value.sum();
    // What the scores erred before moves the softmax by at most twice that, relatively.
    row.radius = softmax_radius(logits, row.value) +
                 row.value * ((2 * radius.maxCoeff() > 1) ? kInfinity : 4 * radius.maxCoeff());
  }
  return row;
}

/// w / (Σw + eps): the sum errs by its terms' radii and γ(k), the quotient by one rounding more.
void renormalize(double epsilon, WeightRow& row) {
  const double sum = row.value.sum() + epsilon;
  const double error = row.radius.sum() + gamma32(row.value.size(), 0, false) *
                                              (row.value.abs().sum() + std::abs(epsilon));
  const double least = std::abs(sum) - error;
  if (!(least > 0)) {
    row.value = row.value / sum;
    row.radius.setConstant(kInfinity);
    return;
  }
  const Row value = row.value / sum;
  row.radius = (row.radius + value.abs() * error) / least + 2 * kUnit32 * value.abs();
  row.value = value;
}

}  // namespace

RouteExpected evaluate_route(const RouteProblem& problem, const Matrix& logits,
                             std::span<const double> correction_bias) {
  RouteExpected expected{problem,
                         Enclosure::exact(moe::score(problem.scoring, logits)),
                         {},
                         logits,
                         std::vector<bool>(static_cast<std::size_t>(logits.rows()))};
  for (Eigen::Index t = 0; t < logits.rows(); ++t) {
    const Row x = logits.row(t).array();
    expected.undefined[static_cast<std::size_t>(t)] = is_undefined(x);
    if (is_undefined(x)) continue;
    expected.scores.radius.row(t) =
        score_radius(problem.scoring, x, expected.scores.mid.row(t).array()).matrix();
  }
  expected.choice = expected.scores;
  if (problem.has_bias) {
    const Eigen::Map<const Eigen::RowVectorXd> bias(correction_bias.data(),
                                                    std::ssize(correction_bias));
    expected.choice.mid.rowwise() += bias;
    expected.choice.radius += kUnit32 * (expected.choice.mid.cwiseAbs() + expected.choice.radius);
  }
  return expected;
}

std::optional<std::string> inadmissible(const RouteExpected& expected, std::int64_t token,
                                        std::span<const std::int32_t> ids) {
  const RouteProblem& problem = expected.problem;
  const bool undefined = expected.undefined_row(token);
  if (const auto reason = badly_formed(problem, ids, undefined)) return reason;
  if (undefined) return std::nullopt;
  const Row mid = expected.choice.mid.row(token).array();
  const Row radius = mid.isFinite().select(expected.choice.radius.row(token).array(), 0.0);
  const Ends ends{mid - radius, mid + radius};
  if (problem.groups <= 1) return beaten(ends, ids);
  const Ends groups = group_ends(problem, ends);
  std::optional<std::string> first;
  GroupSets sets(groups, problem.kept_groups);
  const bool admitted = sets.any([&](const Kept& kept) {
    const auto reason = beaten(masked(problem, ends, kept), ids);
    if (reason && !first) first = reason;
    return !reason;
  });
  if (admitted) return std::nullopt;
  return first ? *first + ", in every possible choice of groups" : "no possible choice of groups";
}

Expected expected_weights(const RouteExpected& expected, std::span<const std::int32_t> ids) {
  const RouteProblem& problem = expected.problem;
  Expected result{DType::kF32, {problem.t, problem.k}, {}, {}};
  const double scale = problem.scale;
  for (std::int64_t t = 0; t < problem.t; ++t) {
    const auto k = static_cast<std::size_t>(problem.k);
    const auto chosen = ids.subspan(static_cast<std::size_t>(t) * k, k);
    if (expected.undefined_row(t)) {
      result.value.insert(result.value.end(), k, std::numeric_limits<double>::quiet_NaN());
      result.radius.insert(result.radius.end(), k, kInfinity);
      continue;
    }
    WeightRow row = gathered(expected, t, chosen);
    if (problem.renormalize) renormalize(problem.renorm_epsilon, row);
    for (Eigen::Index n = 0; n < row.value.size(); ++n) {
      const double value = row.value[n] * scale;
      const double radius = row.radius[n] * std::abs(scale);
      result.value.push_back(value);
      // The scale itself as fp32 and the product with it; nothing happens to an exact 0 or at 1.
      const double step = scale == 1 ? 0 : 2 * kUnit32 * (std::abs(value) + radius);
      const bool exact = value == 0 && radius == 0;
      result.radius.push_back(
          exact ? 0 : radius + step + half_ulp(DType::kF32, std::abs(value) + radius));
    }
  }
  return result;
}

}  // namespace plumbline::bounds
