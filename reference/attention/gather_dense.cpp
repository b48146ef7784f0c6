#include <span>
#include <string>

#include "reference/attention/attention.h"
#include "reference/formats/codec.h"
#include "reference/ops/required.h"

namespace plumbline::attention {
namespace {

using ops::required;

/// A tensor [b, heads, s, d], decoded once, as one matrix [s, d] for each (sequence, head).
struct Slices {
  std::vector<double> values;
  std::int64_t s;
  std::int64_t d;

  explicit Slices(const Tensor& tensor)
      : values(formats::decode(tensor)), s(tensor.spec.shape[2]), d(tensor.spec.shape[3]) {}
  Matrix at(std::int64_t index) const {
    return ops::to_matrix(std::span(values).subspan(static_cast<std::size_t>(index * s * d),
                                                    static_cast<std::size_t>(s * d)),
                          s, d);
  }
};

std::vector<double> sinks_of(const Tensors& tensors, std::int64_t hq) {
  if (!tensors.contains("sinks")) return {};
  const Tensor& sinks = required(tensors, "sinks", 1);
  ops::require_shape("sinks", sinks, {hq});
  return formats::decode(sinks);
}

}  // namespace

std::vector<HeadInputs> gather_dense(const Tensors& tensors, const HeadInputs& settings) {
  const Tensor& q = required(tensors, "q", 4);
  const Tensor& k = required(tensors, "k", 4);
  const Tensor& v = required(tensors, "v", 4);
  const std::int64_t b = q.spec.shape[0];
  const std::int64_t hq = q.spec.shape[1];
  const std::int64_t hkv = k.spec.shape[1];
  ops::require(hkv > 0 && hq % hkv == 0, "k",
               "has a number of heads that divides the " + std::to_string(hq) + " of q", k);
  ops::require_shape("k", k, {b, hkv, k.spec.shape[2], q.spec.shape[3]});
  ops::require_shape("v", v, {b, hkv, k.spec.shape[2], v.spec.shape[3]});
  const Slices queries(q);
  const Slices keys(k);
  const Slices values(v);
  const std::vector<double> sinks = sinks_of(tensors, hq);
  std::vector<HeadInputs> heads;
  for (std::int64_t n = 0; n < b * hq; ++n) {
    const std::int64_t kv = n / hq * hkv + n % hq / (hq / hkv);
    HeadInputs in = settings;
    in.q = queries.at(n);
    in.k = keys.at(kv);
    in.v = values.at(kv);
    if (!sinks.empty()) in.sink = sinks[static_cast<std::size_t>(n % hq)];
    heads.push_back(std::move(in));
  }
  return heads;
}

}  // namespace plumbline::attention
