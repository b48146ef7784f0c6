#include <algorithm>
#include <cmath>
#include <string>

#include "reference/attention/attention.h"
#include "reference/ops/softmax.h"
#include "reference/spec/status.h"

namespace plumbline::attention {
namespace {

void check(const HeadInputs& in) {
  if (in.k.rows() == in.v.rows() && in.q.cols() == in.k.cols()) return;
  const auto shape = [](const Matrix& m) {
    return "[" + std::to_string(m.rows()) + ", " + std::to_string(m.cols()) + "]";
  };
  throw ContractViolation("attend: q " + shape(in.q) + ", k " + shape(in.k) + ", v " + shape(in.v));
}

}  // namespace

std::pair<std::int64_t, std::int64_t> HeadInputs::visible(std::int64_t row) const {
  const std::int64_t sk = k.rows();
  if (mask == Mask::kFull) return {0, sk};
  const std::int64_t position = top_left ? row : row + sk - q.rows();
  const std::int64_t last = std::clamp<std::int64_t>(position + 1, 0, sk);
  if (mask == Mask::kCausal) return {0, last};
  return {std::clamp<std::int64_t>(position - w + 1, 0, last), last};
}

std::vector<double> visible_logits(const HeadInputs& inputs, std::int64_t row) {
  const auto [first, last] = inputs.visible(row);
  const Eigen::VectorXd products =
      inputs.k.middleRows(first, last - first) * inputs.q.row(row).transpose();
  std::vector<double> logits(products.begin(), products.end());
  for (double& logit : logits) {
    logit *= inputs.scale;
    if (inputs.softcap > 0.0) logit = inputs.softcap * std::tanh(logit / inputs.softcap);
  }
  return logits;
}

HeadOutputs attend(const HeadInputs& inputs) {
  check(inputs);
  HeadOutputs outputs{Matrix::Zero(inputs.q.rows(), inputs.v.cols()), {}};
  const double sink = inputs.sink.value_or(ops::kNoSink);
  for (Eigen::Index row = 0; row < inputs.q.rows(); ++row) {
    const auto [first, last] = inputs.visible(row);
    const std::vector<double> logits = visible_logits(inputs, row);
    const std::vector<double> p = ops::softmax(logits, sink);
    outputs.out.row(row) = Eigen::Map<const Eigen::RowVectorXd>(p.data(), last - first) *
                           inputs.v.middleRows(first, last - first);
    outputs.lse.push_back(ops::log_sum_exp(logits, sink));
  }
  return outputs;
}

}  // namespace plumbline::attention
