#pragma once
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "device/abi/samples.h"

/// Test helper: an expert layer in double without any rounding. The judge proper is elsewhere.
namespace plumbline::device::test {

inline double e4m3_value(std::uint8_t code) {
  const int exponent = (code >> 3) & 15;
  const int mantissa = code & 7;
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, exponent - 10);
  return code & 0x80 ? -magnitude : magnitude;
}

/// One weight, dequantised by definition.
inline double weight_of(const Layer& r, const char* name, std::int64_t expert, std::int64_t row,
                        std::int64_t c) {
  const Tensor& w = r.inputs.at(name);
  const std::int64_t rows = w.spec.shape[1];
  const std::int64_t index = (expert * rows + row) * w.spec.shape[2] + c;
  if (w.spec.dtype == DType::kBf16) return bf16_value(w.as<std::uint16_t>()[index]);
  const double code = w.spec.dtype == DType::kI8
                          ? w.as<std::int8_t>()[index]
                          : e4m3_value(static_cast<std::uint8_t>(w.data[index]));
  const Tensor& s = r.inputs.at(std::string(name) + "_scale");
  if (s.spec.shape.size() == 2) return code * s.as<float>()[expert * rows + row];
  const std::int64_t block = (expert * s.spec.shape[1] + row / 128) * s.spec.shape[2] + c / 128;
  return code * s.as<float>()[block];
}

inline double activated(const Activation& a, double gate, double up) {
  if (!a.gated()) return gate > 0.0 ? gate * gate : 0.0;
  if (a.limit > 0.0) {
    gate = std::min(gate, a.limit);
    up = std::clamp(up, -a.limit, a.limit);
  }
  return gate / (1.0 + std::exp(-a.alpha * gate)) * (up + a.beta);
}

/// All weights of a name, dequantised: [e, rows, columns].
inline std::vector<double> weights_of(const Layer& r, const char* name) {
  const std::vector<std::int64_t>& shape = r.inputs.at(name).spec.shape;
  std::vector<double> weights;
  for (std::int64_t row = 0; row < shape[0] * shape[1]; ++row) {
    for (std::int64_t c = 0; c < shape[2]; ++c) {
      weights.push_back(weight_of(r, name, row / shape[1], row % shape[1], c));
    }
  }
  return weights;
}

/// y[n] = bias[n] + Σ_c w[expert, n, c] · x[c].
inline std::vector<double> times(const std::vector<double>& w, const std::vector<double>& x,
                                 std::int64_t expert, const std::vector<double>& bias) {
  std::vector<double> y = bias;
  for (std::size_t n = 0; n < y.size(); ++n) {
    const double* row = w.data() + (expert * y.size() + n) * x.size();
    for (std::size_t c = 0; c < x.size(); ++c) y[n] += row[c] * x[c];
  }
  return y;
}

/// Biases of an expert, or zeros.
inline std::vector<double> bias_of(const Layer& r, const char* name, std::int64_t expert,
                                   std::int64_t rows) {
  std::vector<double> bias(rows);
  if (!r.problem.has_bias) return bias;
  const auto all = values_of(r.inputs.at(name));
  std::copy_n(all.begin() + expert * rows, rows, bias.begin());
  return bias;
}

/// The weights of a layer, dequantised.
struct PlainWeights {
  explicit PlainWeights(const Layer& r) : w13(weights_of(r, "w13")), w2(weights_of(r, "w2")) {}
  std::vector<double> w13, w2;
};

/// W2·act(W13·x + b13) + b2.
inline std::vector<double> plain_expert(const Layer& r, const PlainWeights& w, std::int64_t expert,
                                        const std::vector<double>& x) {
  const ExpertsProblem& p = r.problem;
  const auto gate_up = times(w.w13, x, expert, bias_of(r, "w13_bias", expert, p.w13_rows()));
  std::vector<double> hidden(p.i);
  for (std::int64_t c = 0; c < p.i; ++c) {
    hidden[c] = activated(p.activation, gate_up[c], gate_up[p.w13_rows() - p.i + c]);
  }
  return times(w.w2, hidden, expert, bias_of(r, "w2_bias", expert, p.h));
}

inline std::vector<double> plain_layer(const Layer& r) {
  const ExpertsProblem& p = r.problem;
  const auto x = values_of(r.inputs.at("x"));
  const PlainWeights weights(r);
  std::vector<double> out(p.t * p.h);
  for (std::int64_t slot = 0; slot < p.t * p.k; ++slot) {
    const std::int64_t token = slot / p.k;
    const std::int64_t expert = r.inputs.at("topk_ids").as<std::int32_t>()[slot];
    const double router = r.inputs.at("topk_weights").as<float>()[slot];
    if (expert < 0) continue;
    const bool before = p.weight_on == WeightOn::kInput;
    std::vector<double> row(p.h);
    for (std::int64_t j = 0; j < p.h; ++j) row[j] = x[token * p.h + j] * (before ? router : 1.0);
    if (expert < p.e) row = plain_expert(r, weights, expert, row);
    for (std::int64_t j = 0; j < p.h; ++j) {
      out[token * p.h + j] += (before ? 1.0 : router) * row[j] * p.scale;
    }
  }
  return out;
}

/// Root of the mean square of the error over that of the result.
inline double relative_error(const Layer& r, const Answer& answer) {
  const std::vector<double> wanted = plain_layer(r);
  const std::vector<float> got = values_of(answer.returned.at("out"));
  double error = 0.0;
  double size = 0.0;
  for (std::size_t c = 0; c < wanted.size(); ++c) {
    error += (got[c] - wanted[c]) * (got[c] - wanted[c]);
    size += wanted[c] * wanted[c];
  }
  return std::sqrt(error / size);
}

}  // namespace plumbline::device::test
