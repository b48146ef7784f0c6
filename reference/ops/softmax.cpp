#include "reference/ops/softmax.h"

#include <algorithm>
#include <cmath>

namespace plumbline::ops {
namespace {

/// The largest logit or sink; 0 where that is −inf, so that nothing is subtracted from nothing.
double stable_maximum(std::span<const double> logits, double sink) {
  double maximum = sink;
  for (const double logit : logits) maximum = std::max(maximum, logit);
  return maximum == kNoSink ? 0.0 : maximum;
}

double denominator(std::span<const double> logits, double sink, double maximum) {
  double sum = std::exp(sink - maximum);
  for (const double logit : logits) sum += std::exp(logit - maximum);
  return sum;
}

}  // namespace

double log_sum_exp(std::span<const double> logits, double sink) {
  const double maximum = stable_maximum(logits, sink);
  return maximum + std::log(denominator(logits, sink, maximum));
}

std::vector<double> softmax(std::span<const double> logits, double sink) {
  const double maximum = stable_maximum(logits, sink);
  const double sum = denominator(logits, sink, maximum);
  std::vector<double> p(logits.size(), 0.0);
  if (sum == 0.0) return p;
  std::transform(logits.begin(), logits.end(), p.begin(),
                 [&](double logit) { return std::exp(logit - maximum) / sum; });
  return p;
}

}  // namespace plumbline::ops
