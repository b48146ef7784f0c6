#include <algorithm>
#include <cmath>

#include "conformance/golden/judge_golden.h"
#include "reference/attention/attention.h"
#include "reference/bounds/attention.h"
#include "reference/bounds/golden.h"
#include "reference/formats/codec.h"

namespace plumbline::golden {
namespace {

using attention::HeadInputs;

HeadInputs settings_of(const AttentionCase& attention) {
  HeadInputs settings;
  settings.scale = attention.scale;
  settings.softcap = attention.softcap;
  settings.mask = attention.mask;
  settings.w = attention.window;
  settings.top_left = attention.top_left;
  return settings;
}

void append(const Matrix& rows, std::vector<double>& values) {
  values.insert(values.end(), rows.data(), rows.data() + rows.size());
}

/// Out and LSE of every head in the order of the file's tensors.
struct Reference {
  std::vector<double> out;  ///< [B, Hq, Sq, Dv]
  std::vector<double> lse;  ///< [B, Hq, Sq]
};

Reference reference_of(const std::vector<HeadInputs>& heads) {
  Reference reference;
  for (const HeadInputs& head : heads) {
    const attention::HeadOutputs outputs = attention::attend(head);
    append(outputs.out, reference.out);
    reference.lse.insert(reference.lse.end(), outputs.lse.begin(), outputs.lse.end());
  }
  return reference;
}

Finding check_expected(const CaseFile& file, const std::string& name, bool softcap,
                       const std::vector<double>& reference) {
  double largest = 0;
  for (const double value : formats::decode(*file.find(name))) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  const double limit = bounds::golden::attention_limit(softcap, largest);
  return against_golden(file, name, reference, std::vector<double>(reference.size(), limit));
}

Expected evaluate(const std::vector<HeadInputs>& heads, const AttentionCase& attention,
                  const Profile& profile, DType io) {
  Expected expected{io, {attention.b, attention.hq, attention.sq, attention.dv}, {}, {}};
  for (const HeadInputs& head : heads) {
    const bounds::HeadExpected one = bounds::attention(head, profile, io);
    append(one.out.mid, expected.value);
    append(one.out.radius, expected.radius);
  }
  return expected;
}

}  // namespace

Findings check_attention(const CaseFile& file, const std::optional<Profile>& profile) {
  const AttentionCase attention = attention_case(file);
  const std::vector<HeadInputs> heads =
      attention::gather_dense(file.tensors, settings_of(attention));
  Findings findings;
  const bool has_out = file.find("expected.out") != nullptr;
  const bool has_lse = file.find("expected.lse") != nullptr;
  if (has_out) {
    file.require_shape("expected.out", {attention.b, attention.hq, attention.sq, attention.dv},
                       "q and v");
  }
  if (has_lse) {
    file.require_shape("expected.lse", {attention.b, attention.hq, attention.sq}, "q");
  }
  const Reference reference = has_out || has_lse ? reference_of(heads) : Reference{};
  const bool softcap = attention.softcap > 0;
  if (has_out) findings.push_back(check_expected(file, "expected.out", softcap, reference.out));
  if (has_lse) findings.push_back(check_expected(file, "expected.lse", softcap, reference.lse));
  TensorSpec output;
  output.shape = {attention.b, attention.hq, attention.sq, attention.dv};
  for (const std::string& name : file.devices()) {
    output.dtype = device_io(file, name, {"q", "k", "v"});
    const DeviceResult device{name, output.dtype, output};
    findings.push_back(against_profiles(file, device, profile, [&](const Profile& candidate) {
      return evaluate(heads, attention, candidate, output.dtype);
    }));
  }
  return findings;
}

}  // namespace plumbline::golden
